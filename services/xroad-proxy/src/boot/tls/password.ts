/**
 * The password of a keystore, out of an environment variable or a file. Where it is comes in, its text goes out, or
 * a StartupFailure that never holds the text.
 */
import type { Environment } from '@services/config-file'
import { readSecretFile, SecretFileError } from '@services/config-file/secret-file'
import { StartupFailure } from '../../errors.ts'
import { refuse } from './named-file.ts'

export interface PasswordSettings {
  /** Where the keystore is in the configuration: `security_server` unless given. */
  readonly section?: string | undefined
  /** Name of the environment variable with the password. */
  readonly keystorePasswordEnv: string
  /** File with the password, which takes the place of the variable. */
  readonly keystorePasswordFile?: string | undefined
}

export interface Password {
  readonly text: string
  /** In words, for a message that it is wrong. */
  readonly place: string
}

export function readPassword(settings: PasswordSettings, env: Environment): Password {
  const { section = 'security_server', keystorePasswordEnv: name, keystorePasswordFile: path } = settings
  if (path !== undefined) return { text: readPasswordFile(path, section), place: `the file ${path}` }
  const text = env[name]
  if (text) return { text, place: `the environment variable ${name}` }
  const problem = `${text === undefined ? 'is not set' : 'is empty'}, expected the password of the keystore`
  const field = `${section}.keystore_password_env`
  return refuse({ code: 'keystore_load_failed', label: `environment variable ${name}`, field }, problem)
}

function readPasswordFile(path: string, section: string): string {
  try {
    return readSecretFile(path)
  } catch (error) {
    if (!(error instanceof SecretFileError)) throw error
    const field = `${section}.keystore_password_file`
    throw new StartupFailure('keystore_load_failed', `${field}: ${error.message}`, field)
  }
}

/** Where the password of a datasource comes from: a variable of the environment, or a file. */
import type { Environment, Problem } from '@services/config-file'
import { CurrentSecret, readSecretFile, SecretFileError } from '@services/config-file/secret-file'
import type { Datasource } from './config.ts'
import type { DatasourceConfig } from './schema.ts'

type Named = Pick<DatasourceConfig, 'passwordEnv' | 'passwordFile'>

/** `file` is named. Without an environment no code needs passwords, and it is not read. */
export function passwordFileProblems(
  { passwordEnv, passwordFile }: Named,
  index: number,
  env: Environment | undefined,
): Problem[] {
  const path = ['datasources', index, 'password_file']
  if (passwordEnv !== '') return [{ path, message: 'cannot be combined with password_env; leave one of them out' }]
  try {
    if (env !== undefined) readSecretFile(passwordFile)
    return []
  } catch (error) {
    if (!(error instanceof SecretFileError)) throw error
    return [{ path, message: error.message }]
  }
}

/** Empty for a file that cannot be read: that is reported, unless nobody needs passwords. */
export function passwordOf({ passwordEnv, passwordFile }: Named, env: Environment): string {
  if (passwordFile === '') return env[passwordEnv] ?? ''
  try {
    return readSecretFile(passwordFile)
  } catch {
    return ''
  }
}

/** The password of the file as it is when somebody connects; undefined where there is no such file. */
export function currentPasswordOf(
  { passwordFile, filePassword }: Pick<Datasource, 'passwordFile' | 'filePassword'>,
  onKept?: (reason: string) => void,
): CurrentSecret | undefined {
  return filePassword === '' ? undefined : new CurrentSecret(passwordFile, filePassword, onKept)
}

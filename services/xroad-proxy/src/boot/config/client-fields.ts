/**
 * The fields of who calls the Security Server: a keystore with its password, and the clients of `clients`. schema.ts
 * has the rest.
 */
import { expected, section, text, variableName } from '@services/config-file'
import type { Identity } from '../../model.ts'

export const keystoreFields = {
  keystore_path: text('the path of a PKCS12 file', { filled: true }).describe(
    'PKCS12 file with the client certificate and its key.',
  ),
  keystore_password_env: variableOf()
    .default('PROXY_KEYSTORE_PASSWORD')
    .describe('Environment variable that holds the password of the keystore.'),
  keystore_password_file: text('the path of a file with the password', { filled: true })
    .exactOptional()
    .describe('File that holds the password of the keystore, instead of the environment variable.'),
}

export const clientFields = section({
  member_class: text('a member class', { filled: true }).describe('Its member class.'),
  member_code: text('a registry code', { filled: true }).describe('Its registry code.'),
  subsystem_code: text('a subsystem code').default('').describe('Its subsystem; without it the member itself calls.'),
  ...keystoreFields,
})

export interface Codes {
  readonly memberClass: string
  readonly memberCode: string
  readonly subsystemCode: string
}

export interface ClientFields extends Codes {
  readonly keystorePath: string
  readonly keystorePasswordEnv: string
  readonly keystorePasswordFile?: string
}

/** A client of `clients`, with the name that files have for it. */
export interface NamedClient {
  readonly name: string
  readonly identity: Identity
  readonly keystorePath: string
  readonly keystorePasswordEnv: string
  readonly keystorePasswordFile?: string
}

export function toClients(instance: string, clients: Readonly<Record<string, ClientFields>>): readonly NamedClient[] {
  const named = Object.entries(clients).map(([name, { memberClass, memberCode, subsystemCode, ...keystore }]) => {
    const identity = Object.freeze({ instance, memberClass, memberCode, subsystemCode })
    return Object.freeze({ name, identity, ...keystore })
  })
  return Object.freeze(named)
}

/** It is in names of fields and in log lines. */
export function clientNameProblem(name: string): string | undefined {
  if (/^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u.test(name)) return undefined
  return 'is not the name of a client, expected up to 64 letters, digits, ., _ and -'
}

export function variableOf(): ReturnType<typeof variableName> {
  return variableName().regex(/^[A-Za-z_]\w*$/, expected('the name of an environment variable (letters, digits and _)'))
}

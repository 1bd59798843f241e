/**
 * The subcommand `mock`: starts the mock Security Server, prints how a proxy reaches it and one line for each request,
 * and closes on SIGTERM and SIGINT with exit code 0. If it cannot start, it prints one line on stderr and exits with 1.
 */
import { exitCodes } from '@services/command-line'
import { StartupFailure } from '../errors.ts'
import { type MockOptions, type RunningMock, startMock } from './mock.ts'
import { keystorePassword } from './pki.ts'

export type MockSettings = Pick<MockOptions, 'host' | 'port' | 'servicePort' | 'folder' | 'answers' | 'names'>

export async function runMock(settings: MockSettings): Promise<void> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  try {
    const mock = await startMock({ ...settings, onEvent: say })
    closeOnSignal(mock)
    say(introduction(mock))
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = exitCodes.failure
  }
}

function introduction({ url, answers, files, serviceUrl }: RunningMock): string {
  return `Mock Security Server listening on ${url}
Answers are read from ${answers}, certificates are in ${files.ca}, ${files.keystore} and beside them

Paste this into proxy.yaml, and set PROXY_KEYSTORE_PASSWORD=${keystorePassword} for the proxy:

security_server:
  url: ${url}
  keystore_path: ${toYaml(files.keystore)}
  trust_ca_path: ${toYaml(files.ca)}
${serviceUrl === undefined ? '' : directCalls(serviceUrl)}`
}

function directCalls(serviceUrl: string): string {
  return `
DSL files call the service without X-Road, in SOAP 1.1 or 1.2, with this line:

service: ${serviceUrl}
`
}

/** Double quotes where a plain scalar could mean something else. */
function toYaml(path: string): string {
  return /^[A-Za-z./][\w./-]*$/.test(path) ? path : JSON.stringify(path)
}

function closeOnSignal(mock: RunningMock): void {
  const end = (): void => {
    void mock.close().then(() => process.exit(exitCodes.success))
  }
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
}

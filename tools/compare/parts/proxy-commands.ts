/**
 * Commands of the proxy over its example, the WSDL cases and a mock Security Server: what they print, the files that
 * they write, how they end, and what a running service makes of signals.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@services/testing'
import type { Part } from '../part.ts'
import { shown, startService } from '../programs.ts'
import type { Recording } from '../recording.ts'
import { repository, type Side } from '../sides.ts'
import { type Commands, runCommands } from '../running/command.ts'
import { recordFiles } from '../running/files.ts'
import { startMock } from '../running/mock.ts'
import { startUpstream } from '../running/upstream.ts'

const names = ['serve', 'health', 'doctor', 'wsdl', 'wsdl explain', 'wsdl vendor', 'wsdl add', 'mock']

const usage = [
  '--help',
  '-h',
  '--version',
  '-V',
  'help',
  'nonsense',
  'validate',
  'wsdl nonsense',
  '--nonsense',
  '--config',
  'serve extra',
  'serve --config nowhere.yaml',
  'doctor --config nowhere.yaml',
  'health --config nowhere.yaml',
  'doctor --format xml',
  'doctor --watch-certificates many',
  'wsdl explain',
  'wsdl explain nowhere',
  'wsdl vendor nowhere',
  'wsdl add nowhere.wsdl --provider GOV/1/a',
  'mock --port many',
  'mock --port 0 extra',
  ...names.map((name) => `${name} --help`),
  ...names.map((name) => `${name} --nonsense`),
]

export const proxyCommands: Part = {
  name: 'commands of the proxy',
  async run(side, recording) {
    const cwd = join(side.folder, 'proxy-commands')
    cpSync(join(repository, 'examples/xroad-proxy'), cwd, { recursive: true })
    mkdirSync(join(cwd, '.data'))
    cpSync(side.certificates, join(cwd, '.data'), { recursive: true })
    const commands = { side, recording, service: 'xroad-proxy', cwd } as const
    await runCommands({ ...commands, title: 'usage', isPlain: true }, [...usage, ''])
    await useWsdls(commands)
    await useMock(commands)
    await runSignals(side, recording, cwd)
  },
}

async function useWsdls({ side, recording, ...given }: Omit<Commands, 'title'>): Promise<void> {
  const cwd = join(side.folder, 'wsdl-commands')
  const cases = join(repository, 'services/xroad-proxy/test/cases/wsdl')
  cpSync(cases, join(cwd, 'cases'), { recursive: true })
  const schemas = await startUpstream(side, { isTls: false })
  const xsd =
    '<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:a"><x:element name="a" type="x:int"/></x:schema>'
  const head = `HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: ${xsd.length}\r\n\r\n`
  schemas.answer = Buffer.from(head + xsd)
  mkdirSync(join(cwd, 'far'))
  writeFileSync(join(cwd, 'far/api.wsdl'), importing(`${schemas.url}/types.xsd`))
  writeFileSync(join(cwd, 'proxy.yaml'), clientOf(''))
  const commands = { side, recording, ...given, cwd, title: 'wsdl' }
  await runCommands(commands, [
    'wsdl explain cases',
    'wsdl explain cases --format json',
    'wsdl explain far',
    'wsdl vendor far',
    'wsdl vendor far --allow-http',
    'wsdl vendor far --allow-http --allow-private-address 127.0.0.1',
    'wsdl vendor far --allow-http --allow-private-address 127.0.0.1',
    'wsdl explain far',
    'wsdl add cases/attachments/api.wsdl --provider GOV/70000001/register',
    'wsdl add cases/attachments/api.wsdl --provider GOV/70000001/register',
    'wsdl add cases/attachments/api.wsdl --provider GOV/70000001/register --force --service-version v2',
    'wsdl add cases/attachments/api.wsdl --provider GOV/70000001/register --owner other/v1',
    'wsdl add far/api.wsdl --provider ee-test/COM/1/far --allow-http --allow-private-address 127.0.0.1',
    'wsdl add far/api.wsdl --provider nonsense',
    'doctor --format json',
  ])
  await schemas.close()
  schemas.record(recording, 'wsdl vendor')
  for (const name of ['wsdl', 'far']) recordFiles(recording, `wsdl, folder ${name}`, join(cwd, name))
}

async function useMock(given: Omit<Commands, 'title'>): Promise<void> {
  const { side, recording, cwd = '' } = given
  const wsdl = readFileSync(join(repository, 'services/xroad-proxy/test/cases/wsdl/attachments/api.wsdl'))
  // Without them the mock lists the services of its files.
  rmSync(join(cwd, 'answers/listMethods.xml'))
  rmSync(join(cwd, 'answers/allowedMethods.xml'))
  writeFileSync(join(cwd, 'answers/mtom.wsdl'), wsdl)
  writeFileSync(join(cwd, 'answers/mtom.v2.wsdl'), wsdl)
  writeFileSync(join(cwd, 'answers/pets.openapi.yaml'), pets)
  const mock = await startMock(side, cwd, ['--folder', '.data', '--answers', 'answers'])
  writeFileSync(
    join(cwd, 'proxy.yaml'),
    clientOf(`security_server:
  url: https://127.0.0.1:${mock.port}
  keystore_path: .data/client.p12
  trust_ca_path: .data/ca.pem
`),
  )
  await runCommands({ ...given, title: 'mock' }, [
    'doctor',
    'doctor --format json',
    'doctor --format github --strict',
    'doctor --probe',
    'doctor --probe --format json',
    'doctor --watch-certificates 400',
    'doctor --watch-certificates 10',
    'wsdl add --from-security-server GOV/70000001/register',
    'wsdl add --from-security-server GOV/70000001/register/mtom/v2 --owner again',
    'wsdl add --from-security-server GOV/70000001/register/nowhere',
    'doctor --format json',
  ])
  recordFiles(recording, 'mock', cwd, /\.data|\.pem$|\.p12$/)
  recording.addText('log', 'mock: log', 'xroad-proxy mock', shown(await mock.stop()))
  await runCommands({ ...given, title: 'without a mock' }, ['doctor', 'doctor --probe', 'health'])
  const own = await startMock(side, cwd, ['--folder', 'own'])
  recordFiles(recording, 'certificates of the mock', join(cwd, 'own'), /./)
  recording.addText('log', 'mock: SIGINT', 'xroad-proxy mock', shown(await own.stop('SIGINT')))
}

const endings = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const
const ignored = ['SIGUSR1', 'SIGUSR2', 'SIGALRM'] as const

async function runSignals(side: Side, recording: Recording, cwd: string): Promise<void> {
  const args = ['--config', 'proxy.yaml']
  const text = clientOf('')
  writeFileSync(join(cwd, 'proxy.yaml'), text)
  for (const signal of endings) {
    const running = await startService(side, 'xroad-proxy', args, { cwd })
    for (const each of ignored) running.kill(each)
    recording.addText('log', signal, `xroad-proxy, then ${signal}`, shown(await running.stop(signal)))
  }
  const running = await startService(side, 'xroad-proxy', args, { cwd, isPlain: true })
  const reloads = (): number => running.stdout().match(/trigger=SIGHUP/g)?.length ?? 0
  for (const config of [text, `${text}\nnonsense: 1\n`, `${text}\nerror_message_id: true\n`]) {
    writeFileSync(join(cwd, 'proxy.yaml'), config)
    const before = reloads()
    running.kill('SIGHUP')
    await until(() => reloads() > before, 'the end of a reload')
  }
  recording.addText('log', 'SIGHUP', 'xroad-proxy, reloaded three times', shown(await running.stop()))
}

function clientOf(more: string): string {
  return `host: 127.0.0.1
port: 0
dsl_path: DSL
wsdl_watch_dir: wsdl
wsdl: {allow_http_upstream: true}
client_data: {member_class: GOV, member_code: "70000000", subsystem_code: demo}
${more}`
}

function importing(address: string): string {
  return `<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:x="http://www.w3.org/2001/XMLSchema" xmlns:a="urn:a" targetNamespace="urn:w" xmlns:t="urn:w">
<w:types><x:schema><x:import namespace="urn:a" schemaLocation="${address}"/></x:schema></w:types>
<w:message name="m"><w:part name="p" element="a:a"/></w:message>
<w:portType name="pt"><w:operation name="a"><w:input message="t:m"/></w:operation></w:portType>
<w:binding name="b" type="t:pt"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
<w:operation name="a"><w:input><s:body use="literal"/></w:input></w:operation></w:binding>
</w:definitions>`
}

const pets = `openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets/{id}:
    get:
      operationId: findPet
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        "200": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
components:
  schemas:
    Pet: {type: object, properties: {id: {type: integer}, name: {type: string}}}
`

import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readFlags } from '../../../src/boot/flags.ts'
import { version } from '../../../src/version.ts'

const runs: readonly [string[], string | undefined][] = [
  [[], undefined],
  [['serve'], undefined],
  [['--config', 'a.yaml'], 'a.yaml'],
  [['--config=a.yaml'], 'a.yaml'],
  [['-c', 'a.yaml'], 'a.yaml'],
  [['-ca.yaml'], 'a.yaml'],
  [['serve', '--config', 'a.yaml'], 'a.yaml'],
  [['--config', 'a.yaml', 'serve'], 'a.yaml'],
  [['--config=-a.yaml'], '-a.yaml'],
  [['--config', 'mock'], 'mock'],
]

for (const [argv, config] of runs) {
  test(`serve: ${JSON.stringify(argv)} [D1.1]`, () => {
    deepStrictEqual(readFlags(argv), config === undefined ? { action: 'serve' } : { action: 'serve', config })
  })
}

const mock = { action: 'mock', host: '127.0.0.1', port: 5500, folder: './mock-security-server' }
const mocks: readonly [string[], object][] = [
  [['mock'], mock],
  [['mock', '--port', '0'], { ...mock, port: 0 }],
  [['mock', '--port=65535', '--host', '::1'], { ...mock, port: 65_535, host: '::1' }],
  [['mock', '--service-port', '5600'], { ...mock, servicePort: 5600 }],
  [['--folder', 'x', 'mock', '--answers', 'y'], { ...mock, folder: 'x', answers: 'y' }],
]

for (const [argv, action] of mocks) {
  test(`mock: ${JSON.stringify(argv)} [D1.1]`, () => deepStrictEqual(readFlags(argv), action))
}

const doctor = { action: 'doctor', format: 'text', strict: false, probe: false }
const doctors: readonly [string[], object][] = [
  [['doctor'], doctor],
  [['doctor', '--config', 'a.yaml'], { ...doctor, config: 'a.yaml' }],
  [['-c', 'a.yaml', '--strict', 'doctor'], { ...doctor, config: 'a.yaml', strict: true }],
  [['doctor', '--format', 'json', '--probe'], { ...doctor, format: 'json', probe: true }],
  [['doctor', '--format=text'], doctor],
  [['doctor', '--format=github', '--watch-certificates', '45'], { ...doctor, format: 'github', watchedDays: 45 }],
  [['doctor', '--watch-certificates=0'], { ...doctor, watchedDays: 0 }],
]

for (const [argv, action] of doctors) {
  test(`doctor: ${JSON.stringify(argv)} [D1.1]`, () => deepStrictEqual(readFlags(argv), action))
}

for (const argv of [['--help'], ['-h'], ['-c', 'a.yaml', '--help'], ['--version', '-h'], ['help']]) {
  test(`help: ${JSON.stringify(argv)} [D1.1]`, () => {
    const action = readFlags(argv)
    ok(action.action === 'help')
    const flags = ['--config', '-c', '--help', '-h', '--version', '-V', '--host', '--port', '--folder', '--answers']
    const ofDoctor = ['doctor', '--format', '--strict', '--probe']
    for (const word of [...flags, ...ofDoctor, 'serve', 'mock', 'PROXY_CONFIG', 'PROXY_KEYSTORE_PASSWORD']) {
      ok(action.text.includes(word), word)
    }
    for (const line of action.text.split('\n')) ok(line.length <= 80, line)
  })
}

for (const argv of [['--version'], ['-V'], ['serve', '--version']]) {
  test(`version: ${JSON.stringify(argv)} [D1.1]`, () => {
    deepStrictEqual(readFlags(argv), { action: 'version', text: `xroad-proxy ${version}\n` })
  })
}

const refused: readonly [string[], RegExp][] = [
  [['--nope'], /unknown flag "--nope"\n/],
  [['--confg', 'a'], /unknown flag "--confg"; did you mean --config\?/],
  [['--confg=a'], /unknown flag "--confg"; did you mean --config\?/],
  [['-x'], /unknown flag "-x"\n/],
  [['--no-help'], /unknown flag "--no-help"/],
  [['-c'], /-c needs a value/],
  [['--config'], /--config needs a value/],
  [['--config='], /--config needs a value/],
  [['--config', ''], /--config needs a value/],
  [['-c', '--help'], /-c needs a value/],
  [['--help=yes'], /--help takes no value/],
  [['sevre'], /unknown command "sevre"; did you mean serve\?/],
  [['Mock'], /unknown command "Mock"; did you mean mock\?/],
  [['constructor'], /unknown command "constructor"\n/],
  [[''], /unknown command ""\n/],
  [['serve', 'mock'], /"mock" is too much: one command at most\n/],
  [['doctor', './a/proxy.yml'], /"\.\/a\/proxy\.yml" is too much: .*; did you mean --config \.\/a\/proxy\.yml\?\n/],
  [['proxy.yaml'], /unknown command "proxy\.yaml"; did you mean --config proxy\.yaml\?\n/],
  [['mock', 'proxy.yaml'], /"proxy\.yaml" is too much: one command at most\n/],
  [['--', 'x'], /unknown command "x"/],
  [['--port', '1'], /--port belongs to the command mock/],
  [['serve', '--answers', 'x'], /--answers belongs to the command mock/],
  [['mock', '--config', 'x'], /--config belongs to the command serve, health, doctor/],
  [['--strict'], /--strict belongs to the command doctor/],
  [['mock', '--probe'], /--probe belongs to the command doctor/],
  [['doctor', '--port', '1'], /--port belongs to the command mock/],
  [['doctor', '--format', 'xml'], /--format: found "xml", expected text or json/],
  [['doctor', '--format'], /--format needs a value/],
  [['wsdl', 'explain', 'x', '--format', 'github'], /--format: found "github", expected text or json$/m],
  [['doctor', '--watch-certificates'], /--watch-certificates needs a value/],
  [['doctor', '--watch-certificates', '1.5'], /found "1.5", expected a whole number from 0 to 36500/],
  [['doctor', '--watch-certificates', '36501'], /found "36501", expected a whole number/],
  [['--watch-certificates', '3'], /--watch-certificates belongs to the command doctor/],
  [['doctor', '--strict=yes'], /--strict takes no value/],
  [['doctor', '--no-probe'], /unknown flag "--no-probe"/],
  [['docter'], /unknown command "docter"; did you mean doctor\?/],
  [['mock', '--port', '65536'], /--port: found "65536", expected a whole number from 0 to 65535/],
  [['mock', '--port', 'x'], /--port: found "x"/],
  [['mock', '--port=-1'], /--port: found "-1"/],
  [['mock', '--port=0x1F'], /--port: found "0x1F"/],
  [['mock', '--port', '-1'], /--port needs a value/],
  [['mock', '--folder='], /--folder needs a value/],
  [['--__proto__=x'], /unknown flag/],
]

const commands = 'serve (also without a command), health, doctor, wsdl explain, wsdl vendor, wsdl add, mock'

for (const [argv, message] of refused) {
  test(`refused: ${JSON.stringify(argv)} [D1.1]`, () => {
    const action = readFlags(argv)
    ok(action.action === 'refuse', JSON.stringify(action))
    const list = /unknown command/.test(action.text) ? `Commands: ${commands}\n` : ''
    const [problem = ''] = action.text.split('\n', 1)
    strictEqual(action.text, `${problem}\n${list}Try: xroad-proxy --help\n`)
    match(problem, /^xroad-proxy: ./)
    match(action.text, message)
  })
}

test('whatever the command line, there is an answer [D1.1]', () => {
  const words = fc.constantFrom(
    'serve',
    'mock',
    'doctor',
    '--strict',
    '--format',
    '--config',
    '-c',
    '--port',
    '--help',
    '-hV',
    '--',
    '-',
    '--=x',
    '-=',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(words, fc.string())), (argv) => {
      ok(['serve', 'doctor', 'mock', 'help', 'version', 'refuse'].includes(readFlags(argv).action))
    }),
  )
})

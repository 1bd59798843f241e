/** Command lines of a program with several commands, of one with a single command, and the help of both. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Program, readCommandLine } from '@services/command-line'

const shared = {
  version: '1.2.3',
  about: 'Does something.',
  environment: 'Environment: none.',
  nearest: (name: string, known: readonly string[]) => known.find((one) => one.startsWith(name.slice(0, 3))),
}

const many = {
  ...shared,
  name: 'many',
  flags: {
    config: { kind: 'text', short: 'c', value: 'FILE' },
    format: { kind: 'choice', value: 'FORMAT', choices: ['text', 'json'] },
    dry: { kind: 'switch', name: 'dry-run' },
    port: { kind: 'whole', value: 'PORT', from: 1, to: 65_535, default: 80 },
    hosts: { kind: 'hosts', name: 'only-from-this-host', value: 'HOST' },
    folder: { kind: 'text', value: 'DIR', default: './here', instead: 'for none write - in the file' },
  },
  commands: {
    serve: { flags: { config: 'read this file', port: 'listen here (80)', folder: 'keep files there' } },
    'file add': {
      operand: { value: 'PATH', is: 'the path of a file' },
      summary: 'add one',
      flags: {
        config: '',
        format: 'text or json (text)',
        dry: 'only tell',
        hosts: 'a host that may be asked; repeat it',
      },
    },
    'file drop': { summary: 'drop all', flags: {} },
  },
  implied: 'serve',
  sections: [
    { heading: 'serve:', commands: ['serve'] },
    { heading: 'file, for files:', commands: ['file add', 'file drop'] },
  ],
} as const satisfies Program

const one = {
  ...shared,
  name: 'one',
  flags: { config: many.flags.config },
  commands: { run: { flags: { config: 'read this file' } } },
  implied: 'run',
  sections: [{ commands: ['run'] }],
} as const satisfies Program

const serve = { action: 'serve', port: 80, folder: './here' }
const add = { action: 'file add', path: 'a', format: 'text', dry: false, hosts: [] }

const understood: readonly [string[], object][] = [
  [[], serve],
  [['serve', '-c', 'a'], { ...serve, config: 'a' }],
  [['--port=8080', '--folder', 'x'], { ...serve, port: 8080, folder: 'x' }],
  [['file', 'add', 'a'], add],
  [['file', '--dry-run', 'add', 'a', '--format', 'json'], { ...add, dry: true, format: 'json' }],
  [
    ['file', 'add', 'a', '--only-from-this-host', 'A.org', '--only-from-this-host=b'],
    { ...add, hosts: ['a.org', 'b'] },
  ],
  [['file', 'drop'], { action: 'file drop' }],
  [['--version'], { action: 'version', text: 'many 1.2.3\n' }],
]

const commands = '\nCommands: serve (also without a command), file add, file drop'

const refused: readonly [string[], string][] = [
  [['--conf', 'a'], 'unknown flag "--conf"; did you mean --config?'],
  [['--confg', 'a'], 'unknown flag "--confg"; did you mean --config?'],
  [['--nope'], 'unknown flag "--nope"'],
  [['-v'], 'unknown flag "-v"; did you mean -V?'],
  [['-C', 'a'], 'unknown flag "-C"; did you mean -c?'],
  [['-x'], 'unknown flag "-x"'],
  [['sevre', 'x'], `unknown command "sevre"${commands}`],
  [['sever'], `unknown command "sever"${commands}`],
  [['serv'], `unknown command "serv"; did you mean serve?${commands}`],
  [['file'], `unknown command "file"; did you mean file add?${commands}`],
  [['file', 'constructor'], `unknown command "file constructor"; did you mean file add?${commands}`],
  [['serve', 'a'], '"a" is too much: one command at most'],
  [['file', 'add', 'a', 'b'], '"b" is too much: one path at most'],
  [['file', 'drop', 'b'], '"b" is too much: one command at most'],
  [['file', 'add'], 'file add needs the path of a file'],
  [['file', 'add', 'a', '--port', '1'], '--port belongs to the command serve'],
  [['file', 'drop', '-c', 'a'], '-c belongs to the command serve, file add'],
  [['--config'], '--config needs a value'],
  [['--config='], '--config needs a value'],
  [['--config', '--help'], '--config needs a value'],
  [['--folder', ''], '--folder needs a value; for none write - in the file'],
  [['--folder='], '--folder needs a value; for none write - in the file'],
  [['--folder'], '--folder needs a value'],
  [['file', 'add', 'a', '--dry-run=yes'], '--dry-run takes no value'],
  [['--help=yes'], '--help takes no value'],
  [['--port', '0'], '--port: found "0", expected a whole number from 1 to 65535'],
  [['--port', '65536'], '--port: found "65536", expected a whole number from 1 to 65535'],
  [['--port', '0x1F'], '--port: found "0x1F", expected a whole number from 1 to 65535'],
  [['file', 'add', 'a', '--format', 'xml'], '--format: found "xml", expected text or json'],
  [['--__proto__=x'], 'unknown flag "--__proto__"'],
]

const whole = `Usage: many [serve] [--config FILE] [--port PORT] [--folder DIR]
       many file add PATH [--config FILE] [--format text|json] [--dry-run]
                     [--only-from-this-host HOST]...
       many file drop

Does something.

serve:
  -c, --config FILE   read this file
      --port PORT     listen here (80)
      --folder DIR    keep files there

file, for files:
  add                 add one
      --format FORMAT text or json (text)
      --dry-run       only tell
      --only-from-this-host HOST  a host that may be asked; repeat it
  drop                drop all

  -h, --help          show this text and exit
  -V, --version       show the version and exit

Environment: none.
`

describe('a program with several commands', () => {
  for (const [argv, action] of understood) {
    test(`understands ${JSON.stringify(argv)}`, () => deepStrictEqual(readCommandLine(many, argv), action))
  }
  for (const [argv, problem] of refused) {
    test(`refuses ${JSON.stringify(argv)}`, () => {
      deepStrictEqual(readCommandLine(many, argv), {
        action: 'refuse',
        text: `many: ${problem}\nTry: many --help\n`,
      })
    })
  }

  test('has a help of all commands, each flag in its line', () => {
    for (const argv of [['--help'], ['help'], ['-h', '--port', '1', '--dry-run'], ['help', '--help']]) {
      strictEqual(helpOf(many, argv), whole)
    }
  })

  test('has a help of each command and of each family, with what belongs to it [T1]', () => {
    const drop = 'many file drop\n\nfile, for files:\n  drop                drop all\n'
    const end = '\n  -h, --help          show this text and exit\n\nAll commands: many --help\n'
    for (const argv of [
      ['file', 'drop', '-h'],
      ['help', 'file', 'drop'],
      ['--help', 'file', 'drop', 'x'],
    ]) {
      strictEqual(helpOf(many, argv), `Usage: ${drop}${end}`)
    }
    const add = helpOf(many, ['file', 'add', '--help'])
    match(
      add,
      /^Usage: many file add PATH [^]*\n {2}-c, --config FILE {3}read this file\n {6}--format FORMAT text or json/,
    )
    doesNotMatch(add, /many \[serve\]|drop|--port|Environment|Does something/)
    const family = helpOf(many, ['file', '--help'])
    match(family, /^Usage: many file add PATH [^]*\n {7}many file drop\n[^]*\n {2}add [^]*\n {2}drop /)
    match(
      helpOf(many, ['help', 'serve']),
      /^Usage: many \[serve\] \[--config FILE\][^]*\n\nserve:\n {2}-c, --config FILE/,
    )
  })

  test('refuses help for what is no command, and a flag that is none [T1]', () => {
    for (const argv of [
      ['help', 'file', 'dorp'],
      ['file', 'dorp', '--help'],
    ]) {
      const text = `many: unknown command "file dorp"; did you mean file add?${commands}\nTry: many --help\n`
      deepStrictEqual(readCommandLine(many, argv), { action: 'refuse', text })
    }
    const { action } = readCommandLine(many, ['help', '--nope'])
    strictEqual(action, 'refuse')
  })
})

function helpOf(program: Program, argv: readonly string[]): string {
  const help = readCommandLine(program, argv)
  ok(help.action === 'help' && 'text' in help, JSON.stringify(help))
  return help.text as string
}

describe('what may be left out, and what has one name in two commands', () => {
  const program = {
    name: 'two',
    version: '1',
    about: 'Does things.',
    flags: {
      format: { kind: 'choice', value: 'FORMAT', choices: ['text', 'json'] },
      report: { kind: 'choice', name: 'format', value: 'FORMAT', choices: ['text', 'xml'] },
    },
    commands: {
      look: { flags: { format: 'text or json' } },
      try: { flags: { report: 'text or xml' }, operand: { value: 'FOLDER', is: 'a folder', isOptional: true } },
    },
    implied: 'look',
    sections: [{ commands: ['look'] }, { commands: ['try'] }],
    environment: 'Environment: none.',
    nearest: () => undefined,
  } as const

  test('an operand is absent where it is left out; an empty one does not count', () => {
    deepStrictEqual(readCommandLine(program, ['try']), { action: 'try', report: 'text' })
    deepStrictEqual(readCommandLine(program, ['try', 'x']), { action: 'try', path: 'x', report: 'text' })
    deepStrictEqual(readCommandLine(program, ['try', '']), {
      action: 'refuse',
      text: 'two: try needs a folder\nTry: two --help\n',
    })
    const help = readCommandLine(program, ['-h'])
    ok('text' in help && help.text.includes('two try [FOLDER] [--format text|xml]'))
  })

  test('a flag takes the values of its command', () => {
    deepStrictEqual(readCommandLine(program, ['look', '--format', 'json']), { action: 'look', format: 'json' })
    deepStrictEqual(readCommandLine(program, ['--format=xml', 'try']), { action: 'try', report: 'xml' })
    deepStrictEqual(readCommandLine(program, ['try', '--format', 'json']), {
      action: 'refuse',
      text: 'two: --format: found "json", expected text or xml\nTry: two --help\n',
    })
  })
})

describe('a program with one command', () => {
  test('has no word for it', () => {
    deepStrictEqual(readCommandLine(one, ['-ca']), { action: 'run', config: 'a' })
    deepStrictEqual(readCommandLine(one, ['run']), {
      action: 'refuse',
      text: 'one: "run" is too much: there are no commands\nTry: one --help\n',
    })
  })

  test('has one list of flags in its help', () => {
    const help = readCommandLine(one, ['-h'])
    ok(help.action === 'help')
    match(help.text, /^Usage: one \[--config FILE\]\n\nDoes something\.\n\n {2}-c, .*\n {2}-h, .*\n {2}-V, .*\n\nEnv/)
  })
})

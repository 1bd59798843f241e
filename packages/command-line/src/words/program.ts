/**
 * The commands and flags of a program as a table, and what the compiler makes of it: what each command gets to know.
 */

interface FlagRow {
  /** Its name on the command line, where that is not the name of the field. */
  readonly name?: string
  readonly short?: string
}

/**
 * `value` is the word that stands for the value in the help. `instead` is what to do where somebody means the empty
 * text, which no flag takes: a variable of a script that is not set looks the same.
 */
export type Flag =
  | (FlagRow & { readonly kind: 'switch' })
  | (FlagRow & { readonly kind: 'text'; readonly value: string; readonly default?: string; readonly instead?: string })
  | (FlagRow & { readonly kind: 'choice'; readonly value: string; readonly choices: readonly [string, ...string[]] })
  | (FlagRow & { readonly kind: 'whole'; readonly value: string; readonly default?: number } & Range)
  /** May be repeated. Names of hosts have no case, so they come in small letters. */
  | (FlagRow & { readonly kind: 'hosts'; readonly value: string })

export interface Range {
  readonly from: number
  readonly to: number
}

export interface Command {
  /** Its flags, each with its line of help; empty where the help has described it before. */
  readonly flags: Readonly<Record<string, string>>
  /** What is behind the command; `path` of the action. */
  readonly operand?: { readonly value: string; readonly is: string; readonly isOptional?: boolean }
  /** In a section of several commands: what it does. */
  readonly summary?: string
}

export interface Program {
  readonly name: string
  readonly version: string
  readonly about: string
  readonly flags: Readonly<Record<string, Flag>>
  /** A command may be two words, such as `wsdl explain`. A program with one command has no word for it. */
  readonly commands: Readonly<Record<string, Command>>
  /** What is done without a command. */
  readonly implied: string
  /** The parts of the help, each with the commands that it describes. */
  readonly sections: readonly { readonly heading?: string; readonly commands: readonly string[] }[]
  /** The last part of the help. */
  readonly environment: string
  /** A misspelled name -> the known one that was probably meant. */
  readonly nearest: (name: string, known: readonly string[]) => string | undefined
}

type ValueOf<Row> = Row extends { kind: 'switch' }
  ? boolean
  : Row extends { kind: 'whole' }
    ? number
    : Row extends { kind: 'hosts' }
      ? readonly string[]
      : Row extends { kind: 'choice'; choices: readonly (infer Choice)[] }
        ? Choice
        : string

/** Flags that are absent where they are not given. */
type Absent<Flags, Names> = {
  [Name in Extract<keyof Flags, Names>]: Flags[Name] extends { kind: 'text' | 'whole' }
    ? Flags[Name] extends { default: string | number }
      ? never
      : Name
    : never
}[Extract<keyof Flags, Names>]

type Given<Flags, Names> = {
  readonly [Name in Exclude<Extract<keyof Flags, Names>, Absent<Flags, Names>>]: ValueOf<Flags[Name]>
} & { readonly [Name in Absent<Flags, Names>]?: ValueOf<Flags[Name]> }

/** A command with the values of its flags. */
export type CommandOf<Table extends Program> = {
  [Name in keyof Table['commands']]: { readonly action: Name } & Given<
    Table['flags'],
    keyof Table['commands'][Name]['flags']
  > &
    (Table['commands'][Name] extends { operand: { isOptional: true } }
      ? { readonly path?: string }
      : Table['commands'][Name] extends { operand: object }
        ? { readonly path: string }
        : object)
}[keyof Table['commands']]

/** Something to print: help and version on stdout, a refusal on stderr. */
export interface Told {
  readonly action: 'help' | 'version' | 'refuse'
  readonly text: string
}

/** The name of a flag on the command line. */
export function nameOf(field: string, { name }: Flag): string {
  return name ?? field
}

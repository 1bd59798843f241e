/** What a table of rooms is made of. */

export interface Room {
  /** A folder without the rooms inside it, or a file. Below the root of its part. */
  readonly room: string
  /** Its purpose, for readers of the table. */
  readonly is: string
  /**
   * What it may import, parted by spaces: rooms, single files of rooms, `folder/**` for all rooms of a folder, and
   * private packages by their names.
   */
  readonly imports?: string
  /** It imports nothing of Node.js either. */
  readonly isPure?: true
}

export interface Part {
  readonly root: string
  /** Lower rooms first. */
  readonly rooms: readonly Room[]
  /** A library or a module of Node.js -> the places that may import it, written as in `imports`. */
  readonly outside: Readonly<Record<string, string>>
}

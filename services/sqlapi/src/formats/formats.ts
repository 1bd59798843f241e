/** The table of formats: requests and workers name one, and find it here. */
import type { FormatName } from '../model.ts'
import { csv } from './csv.ts'
import type { RowFormat } from './format.ts'
import { json } from './json.ts'
import { ndjson } from './ndjson.ts'

export const formats: Readonly<Record<FormatName, RowFormat>> = { json, csv, ndjson }

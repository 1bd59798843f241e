/** The table of formats: requests and workers name one, and find it here. */
import type { FormatName } from '../model.ts'
import type { RowFormat } from './format.ts'
import { json } from './json.ts'

export const formats: Readonly<Record<FormatName, RowFormat>> = { json }

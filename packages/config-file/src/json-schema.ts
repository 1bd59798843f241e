/** A kind of file -> its JSON Schema, for editors: completion, descriptions, and what is wrong while somebody types. */
import * as z from 'zod'
import type { FileKind } from './check.ts'
import { verbatim } from './fields.ts'

/** Editors read `4.0` as a number: where it is taken as the text that it is written as, the schema allows it too. */
export function toJsonSchema({ title, fields, bareTexts }: FileKind): Readonly<Record<string, unknown>> {
  const { $schema, ...rules } = z.toJSONSchema(fields, {
    io: 'input',
    target: 'draft-2020-12',
    override({ zodSchema, jsonSchema }) {
      if (jsonSchema.type !== 'string' || bareTexts === 'refused' || verbatim.has(zodSchema)) return
      if (jsonSchema.enum) jsonSchema.enum = jsonSchema.enum.flatMap((text) => withNumber(String(text)))
      if (jsonSchema.enum?.every((value) => typeof value === 'string')) return
      Object.assign(jsonSchema, { type: ['string', 'number', 'boolean'] })
    },
  })
  return { $schema, title, ...rules }
}

function withNumber(text: string): (string | number)[] {
  return Number.isNaN(Number(text)) ? [text] : [text, Number(text)]
}

/** JSON whose numbers keep their digits: what is read and written again differs in white space at most. */

const rawJson = (text: string): unknown => (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)

export function parseLossless(text: string): unknown {
  const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' ? rawJson(context?.source ?? String(value)) : value
  return JSON.parse(text, keepDigits)
}

/** One text for everything that is the same JSON, digit by digit and key by key in their order. */
export function canonicalJson(text: string): string {
  return JSON.stringify(parseLossless(text))
}

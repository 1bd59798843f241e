/**
 * Bodies that fit -> bodies that callers send: values in another type of JSON, in another spelling, beyond a bound,
 * left out, twice, in the wrong place, under a name that nobody knows. Some fit all the same.
 */
import { randomFrom } from '@services/testing'

const texts = [
  '',
  ' ',
  'x',
  '  x  y ',
  'a\tb\r\nc',
  '\r\n',
  'õ€\u{1f600}',
  '\u0001',
  '\ud800',
  '<&>"\'',
  '{{x}}',
  '0',
  '1',
  '-0',
  '+5',
  '007',
  '1.0',
  '1.50',
  '.5',
  '5.',
  '1e3',
  '1E-2',
  'INF',
  '-INF',
  'NaN',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  'true',
  'TRUE',
  'A B',
  'A  B',
  'http://example.org/%zz',
  'a#b#c',
  'http://[::1]/',
  '[x]',
  'a b:c',
  '2026-02-29',
  '2024-02-29',
  '2024-02-29Z',
  '2024-02-30+14:00',
  '2024-12-31+14:01',
  '0000-01-01',
  '-0001-01-01',
  '12026-01-01',
  '2026-01-31T24:00:00',
  '2026-01-31T24:00:01',
  '2026-01-31T23:59:60',
  '2026-01-31T12:00:00.123456789-11:30',
  '2026-01-31T12:00',
  '12:00:00',
  '24:00:00Z',
  '2026',
  '2026-13',
  '--02-29',
  '--02-30',
  '--12',
  '---31',
  '---32',
  'P1D',
  'P',
  'PT',
  'P1Y2M3DT4H5M6.7S',
  '-P1D',
  'P1M2W',
  'QUJD',
  'QUJDR',
  'QQ==',
  'QR==',
  'Q Q = =',
  '0aF',
  '0aFf',
  'et-EE',
  'et_EE',
  'a:b',
  '1a',
  '_a-b.c',
]

export class MangledBodies {
  readonly #unit: () => number

  constructor(seed: number) {
    this.#unit = randomFrom(seed)
  }

  /** Changed in one place or two. */
  next(body: unknown): unknown {
    const changed = this.#change(body, [])
    return this.#unit() < 0.3 ? this.#change(changed, []) : changed
  }

  #change(value: unknown, above: readonly unknown[]): unknown {
    const isInner = typeof value === 'object' && value !== null
    const keys = isInner ? Object.keys(value) : []
    if (isInner && keys.length > 0 && this.#unit() < 0.8) {
      const key = this.#pick(keys)
      const inner = this.#change((value as Record<string, unknown>)[key], [...above, value])
      if (Array.isArray(value)) return value.map((item: unknown, index) => (String(index) === key ? inner : item))
      return { ...value, [key]: inner }
    }
    if (isInner) return this.#changeInner(value)
    return above.length === 0 ? value : this.#changeValue(value)
  }

  #changeInner(value: object): unknown {
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value
      return this.#pick([[], [...items, ...items], items.slice(1), items[0] ?? null, [items], {}, 'x', null])
    }
    const entries = Object.entries(value)
    const [name = 'x', inner] = entries[Math.floor(this.#unit() * entries.length)] ?? []
    const rest = Object.fromEntries(entries.filter(([key]) => key !== name))
    return this.#pick([
      rest,
      rest,
      { ...value, stranger: 1 },
      { ...value, [`${name}s`]: inner },
      [value],
      null,
      {},
      'x',
    ])
  }

  #changeValue(value: unknown): unknown {
    const text = String(value)
    const chances: readonly (() => unknown)[] = [
      () => this.#pick(texts),
      () => this.#pick(texts),
      () => null,
      () => [value],
      () => ({ value }),
      () => text,
      () => (Number.isFinite(Number(text)) && text.trim() !== '' ? Number(text) : text),
      () => !value,
      () => `${text}${text}`,
      () => text.slice(1),
      () => ` ${text} `,
      () => `${text}${this.#pick(texts)}`,
      () => Math.round((this.#unit() - 0.5) * 10 ** Math.floor(this.#unit() * 12)),
    ]
    return this.#pick(chances)()
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#unit() * items.length)] as Item
  }
}

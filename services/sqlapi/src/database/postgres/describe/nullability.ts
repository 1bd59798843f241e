/** PLACEHOLDER until the parse tree is read. */
export interface NullableRelations {
  mayBe(table: string): boolean
}
export function nullableRelations(_text: string): Promise<NullableRelations> {
  return Promise.resolve({ mayBe: () => true })
}

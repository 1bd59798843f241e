/** A number or boolean that stands in YAML without quotes, beside the text that it was written as: `4.0`, `00123`, `true`. */

export class Literal {
  readonly text: string
  readonly value: number | boolean

  constructor(text: string, value: number | boolean) {
    this.text = text
    this.value = value
  }
}

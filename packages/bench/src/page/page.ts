/**
 * How long a page at `/docs` takes in a real browser: until its list is painted, and from the click on an operation
 * until its form is. A browser and an address come in, milliseconds go out; each opening has an empty cache.
 */
import type { Browser, Page } from 'playwright-core'
import { median } from '../report/median.ts'

export interface PagePlan {
  readonly address: string
  /** How many operations the list has to have. */
  readonly operations: number
  readonly openings: number
}

export interface PageTimes {
  /** One for each opening. */
  readonly lists: readonly number[]
  /** Several for each opening, of operations all over the list. */
  readonly forms: readonly number[]
}

/** What the page may take, of the median. */
export interface PageLimits {
  readonly listMs: number
  readonly formMs: number
}

const formsForEach = 5

export async function timePage(browser: Browser, plan: PagePlan): Promise<PageTimes> {
  const lists: number[] = []
  const forms: number[] = []
  for (let n = 0; n < plan.openings; n += 1) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    try {
      const page = await context.newPage()
      await page.goto(plan.address, { waitUntil: 'commit' })
      await page.locator('#list a').first().waitFor()
      lists.push(await painted(page))
      const rows = await page.locator('#list a').count()
      if (rows < plan.operations) throw new Error(`the list has ${rows} operations, not ${plan.operations}`)
      for (let form = 0; form < formsForEach; form += 1) {
        const part = (n * formsForEach + form) / (plan.openings * formsForEach)
        forms.push(await openRow(page, Math.floor(part * rows)))
      }
    } finally {
      await context.close()
    }
  }
  return { lists, forms }
}

/** Clicked and waited for in the page itself, so that the way to the browser does not count. */
function openRow(page: Page, index: number): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const clicked = performance.now()
    const before = document.querySelector('article')
    document.querySelectorAll('#list a')[${index}].click()
    const look = () => {
      const shown = document.querySelector('article')
      if (shown === null || shown === before) return requestAnimationFrame(look)
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - clicked)))
    }
    look()
  })`)
}

/** Milliseconds since the page was asked for, at the end of the frame that is painted next. */
function painted(page: Page): Promise<number> {
  return page.evaluate<number>(
    'new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))',
  )
}

/** Prints both; false where a median is beyond its limit. */
export function tellPage({ lists, forms }: PageTimes, { listMs, formMs }: PageLimits): boolean {
  const told = [tell('the list is there', lists, listMs), tell('an operation is open', forms, formMs)]
  return told.every(Boolean)
}

function tell(what: string, times: readonly number[], limit: number): boolean {
  const [least, middle, most] = [Math.min(...times), median(times), Math.max(...times)].map(Math.round) as [
    number,
    number,
    number,
  ]
  const isWithin = middle <= limit
  console.log(`${what}: ${middle} ms (${least} to ${most})${isWithin ? '' : `, more than ${limit} ms`}`)
  return isWithin
}

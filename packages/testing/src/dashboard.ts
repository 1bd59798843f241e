/**
 * Dashboards of Grafana and alerts of Prometheus as tests read them: what they ask for, and what of it a service does
 * not tell. In: the files, and the samples of a running service. No Grafana is started.
 */
import { readFileSync } from 'node:fs'

export interface Query {
  readonly panel: string
  /** PromQL, with Grafana's variables filled in. */
  readonly expression: string
  /** Labels that the legend of the panel shows. */
  readonly legend: readonly string[]
}

/** Prometheus gives these to every series that it scrapes. */
const ofPrometheus = new Set(['instance', 'job'])

/** The expressions of alerting rules, with the labels that their words show. */
export function readAlerts({ groups }: Alerts, group: string): Query[] {
  const rules = groups.find(({ name }) => name === group)?.rules ?? []
  return rules.map(({ alert, expr, annotations }) => ({
    panel: alert,
    expression: expr,
    legend: names(Object.values(annotations).join(), /\$labels\.(\w+)/g),
  }))
}

/** A file of rules of Prometheus, as YAML reads it. */
export interface Alerts {
  readonly groups: readonly {
    readonly name: string
    readonly rules: readonly {
      readonly alert: string
      readonly expr: string
      readonly annotations: Readonly<Record<string, string>>
    }[]
  }[]
}

/** The queries of all panels, those in rows included. */
export function readDashboard(file: string): Query[] {
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { panels: readonly Panel[] }
  return panels.flatMap(queriesOf)
}

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat?: string }[]
  readonly panels?: readonly Panel[]
}

function queriesOf({ title, targets = [], panels = [] }: Panel): Query[] {
  const own = targets.map(({ expr, legendFormat = '' }) => ({
    panel: title,
    expression: expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$\{?\w+\}?/g, '.*'),
    legend: names(legendFormat, /\{\{\s*(\w+)\s*\}\}/g),
  }))
  return [...own, ...panels.flatMap(queriesOf)]
}

/**
 * What would leave the panel empty, or its legend without names.
 *
 * @param samples series as `samplesOf` reads them
 */
export function problemsOf({ expression, legend }: Omit<Query, 'panel'>, samples: Iterable<string>): string[] {
  const labels = labelsByMetric(samples)
  const kept = names(expression, /\bby \(([^)]*)\)/g).flatMap((list) => list.split(/,\s*/))
  const isAggregated = /\b(?:sum|min|max|avg|count)\b/.test(expression)
  // What is before a range, a bracket, an operator or the end is a metric, anything else a function.
  const metrics = Array.from(
    expression
      .replaceAll(/\b(?:by|on|ignoring|without) \([^)]*\)/g, '')
      .matchAll(/\b([a-z]\w*)(?:\{([^}]*)\})?(?=\[|\)|$|\s*[-<>=!*/+])/g),
  )
  const problems = metrics.flatMap(([, metric = '', selector = '']) => {
    const known = labels.get(metric)
    if (known === undefined) return [`there is no ${metric}`]
    return [...names(selector, /(\w+)\s*(?:=~|!~|!=|=)/g), ...kept, ...(isAggregated ? [] : legend)]
      .filter((label) => !known.has(label) && !ofPrometheus.has(label))
      .map((label) => `${metric} has no label ${label}`)
  })
  if (metrics.length === 0) problems.push('it asks for no metric')
  const lost = isAggregated ? legend.filter((label) => !kept.includes(label)) : []
  return [...problems, ...lost.map((label) => `${label} is summed away`)]
}

/** The same of many, each with the name of its panel. */
export function problemsOfAll(queries: readonly Query[], samples: Iterable<string>): string[] {
  const known = [...samples]
  return queries.flatMap((query) => problemsOf(query, known).map((problem) => `${query.panel}: ${problem}`))
}

function labelsByMetric(samples: Iterable<string>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const series of samples) {
    const [, metric = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? []
    const known = found.get(metric) ?? new Set()
    for (const label of names(labels, /(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label)
    found.set(metric, known)
  }
  return found
}

function names(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name = '']) => name)
}

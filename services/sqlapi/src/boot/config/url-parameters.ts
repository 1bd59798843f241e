/**
 * The parameters of a datasource's URL: honours or refuses each, by the rules of its kind of database (`url.ts` there),
 * and ignores none. Query text in, problems with their cures out; no problem contains a value, because any value may be
 * a piece of a password.
 */
import { nearest } from '@services/config-file/nearest'
import type { UrlRules } from '../../database/url-rules.ts'

/** What is wrong with the parameters, each with its cure. `isSecret` tells that a name may be a piece of a password. */
export function parameterProblems(rules: UrlRules, query: URLSearchParams, isSecret: boolean): string[] {
  const { parameters } = rules
  const names = [...new Set(query.keys())]
  const problems = names.flatMap((name) => {
    const rule = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (rule === undefined) return [unknown(name, isSecret, parameters)]
    const { values, cure } = rule
    if (query.getAll(name).length > 1) return [`parameter ${name} occurs twice; write it once`]
    if (values === 'none') return [`parameter ${name} is not supported; ${cure}`]
    if (values === undefined || values.test(query.get(name) ?? '')) return []
    return [`parameter ${name} has a value that is not supported; ${cure}`]
  })
  return [...problems, ...rules.conflictsOf(query)]
}

function unknown(name: string, isSecret: boolean, parameters: UrlRules['parameters']): string {
  if (isSecret) return 'a parameter is not known (percent-encode special characters of the password)'
  const supported = Object.keys(parameters).filter((known) => parameters[known]?.values !== 'none')
  const meant = nearest(name, supported)
  return `parameter ${JSON.stringify(name)} is not known; ${meant === undefined ? 'leave it out' : `did you mean ${meant}?`}`
}

/** Check: the rate limiting bindings agree with the classes of the app. */

import { quoted } from '../../../../text/src/quoted.ts'
import { type Detected, detected } from '../../doctor/detected.ts'
import type { Check } from '../project-observations.ts'

const PREFIX = 'MCP_LIMIT_'

export const rateLimits: Check = ({ config }, { worker }) => {
  const apps = worker?.apps ?? []
  if (apps.length === 0) return []
  const limited = apps.flatMap(({ limitPeriods }) =>
    limitPeriods === undefined ? [] : [limitPeriods],
  )
  const periods = new Map(limited.flatMap((own) => Object.entries(own)))
  const bindings = (config.ratelimits ?? []).filter(({ name }) => name.startsWith(PREFIX))
  return bindings.flatMap(({ name, namespace_id: namespace, simple }, index): Detected[] => {
    const say = (text: string) => [
      detected('rate-limit-binding-invalid', `${quoted(name)} ${text}`),
    ]
    if (limited.length === 0) {
      return say('is for features: [rateLimits()], which the app does not have')
    }
    const limitClass = name.slice(PREFIX.length).toLowerCase().replaceAll('_', '-')
    const period = periods.get(limitClass)
    if (period === undefined) return say(`has no class ${quoted(limitClass)}`)
    if (simple.period !== period) {
      return say(`has the period ${simple.period}, and the class has ${period} seconds`)
    }
    const earlier = bindings.slice(0, index).find((other) => other.namespace_id === namespace)
    return earlier === undefined ? [] : say(`counts together with ${quoted(earlier.name)}`)
  })
}

/** Check: the compatibility date, and the flags that Edgeway needs. */

import { quoted } from '../../../../text/src/quoted.ts'
import { type Detected, detected } from '../../doctor/detected.ts'
import { isDeployableDate } from '../compatibility-date.ts'
import type { DescribedApp } from '../inspector.ts'
import type { Check } from '../project-observations.ts'

/** The date since which objects have methods of their own (the flag `rpc`). */
const OLDEST_DATE = '2024-04-03'

export const compatibility: Check = (environment, { worker, importsAsyncHooks }) => {
  const { config, flags, refusedFlags } = environment
  const date = config.compatibility_date
  if (refusedFlags !== undefined) {
    const text = `compatibility_flags is ${quoted(config.compatibility_flags)}: ${refusedFlags}`
    return [detected('compatibility-flags-refused', text)]
  }
  if (!isDeployableDate(date)) {
    return [detected('compatibility-date-invalid', `compatibility_date is ${quoted(date)}`)]
  }
  if (date < OLDEST_DATE && flags?.includes('rpc') !== true) {
    const text = `compatibility_date is ${quoted(date)}, before ${OLDEST_DATE}`
    return [detected('compatibility-date-old', text)]
  }
  // A runtime that does not name its flags applies at least those of the configuration.
  const applied = new Set([...(flags ?? []), ...config.compatibility_flags])
  const faults: Detected[] = []
  const given = `compatibility_flags is ${quoted(config.compatibility_flags)}`
  if (!applied.has('enable_request_signal')) faults.push(detected('request-signal-missing', given))
  if (worker?.apps.some(fetchesClientUrls) && !applied.has('global_fetch_strictly_public')) {
    faults.push(detected('public-fetch-missing', given))
  }
  if (importsAsyncHooks && !applied.has('nodejs_als') && !applied.has('nodejs_compat')) {
    faults.push(detected('async-hooks-missing', given))
  }
  return faults
}

/** Documents of clients, the callbacks of their subscriptions, and the files of arguments. */
const fetchesClientUrls = ({ auth, kinds, surface }: DescribedApp) =>
  (auth !== undefined && auth.type !== 'context') ||
  kinds.includes('subscriber') ||
  surface?.tools.some(({ _meta }) => _meta?.['openai/fileParams'] !== undefined) === true

/** Check: the Worker loader of `code()` is bound. */

import { quoted } from '../../../../text/src/quoted.ts'
import { detected } from '../../doctor/detected.ts'
import type { Check } from '../project-observations.ts'

export const workerLoaders: Check = ({ config }, { worker }) => {
  const bound = (config.worker_loaders ?? []).map(({ binding }) => binding)
  const needed = (worker?.apps ?? []).flatMap(({ codeBinding }) => codeBinding ?? [])
  const missing = [...new Set(needed)].filter((binding) => !bound.includes(binding))
  return missing.length === 0
    ? []
    : [detected('worker-loader-missing', missing.map(quoted).join(', '))]
}

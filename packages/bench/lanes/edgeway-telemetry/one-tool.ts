/** Edgeway with a sink that counts requests by tool and outcome, which is the least that a sink does. */

import { serve } from '../edgeway/serve.ts'
import { echo } from '../tools/echo.ts'

const counts = new Map<string, number>()

export default serve([echo], {
  telemetry: {
    record(event) {
      if (event.type !== 'request') return
      const key = `${event.name} ${event.outcome}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    },
  },
})

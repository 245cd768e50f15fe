/** Each test begins with an empty page: no component, no token, no traffic, no catalog, and the first tab. */
import { cleanup, configure } from '@testing-library/preact'
import { afterEach, beforeEach, vi } from 'vitest'
import { keepRequest } from '../../../page/client/run-request.ts'
import { forgetTokens } from '../../../page/client/tokens.ts'
import { readRoute } from '../../../page/route.ts'
import { trafficLog } from '../../../page/traffic/traffic-log.ts'
import { catalogState } from '../../../page/try/catalog.ts'

// A page that a test has left may still send a request, which no server answers.
globalThis.fetch = () => new Promise(() => undefined)

configure({ asyncUtilTimeout: 10_000 })

beforeEach(() => {
  history.replaceState(null, '', '/inspect')
  readRoute()
  trafficLog.set({ stream: 'connecting', exchanges: [], events: [], held: undefined })
  catalogState.set({ state: 'none' })
  keepRequest(undefined)
  forgetTokens()
})

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

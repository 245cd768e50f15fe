/** Opens the tab that tries a server, with a played server. */
import { render, screen } from '@testing-library/preact'
import { readRoute, route } from '../../../page/route.ts'
import { useStore } from '../../../page/store.ts'
import { TryView } from '../../../page/try/try-view.tsx'
import { CONFIG } from '../support/config.ts'
import { press } from '../support/controls.ts'
import { type McpRequest, playServer, type Recorded } from '../support/played-server.ts'

type Results = Readonly<Record<string, unknown>>

interface OpenOptions {
  /** The results of methods, or functions of the requests. */
  readonly results?: Results
  readonly path?: string
  readonly endpoints?: readonly string[]
}

/** Answers by method; a method without a result is answered with an empty one. */
export const resultsOf = (results: Results) => (request: McpRequest) => {
  const result = results[request.method] ?? {}
  return typeof result === 'function' ? result(request) : result
}

function Page({ endpoints }: { readonly endpoints: readonly string[] }) {
  return <TryView config={{ ...CONFIG, endpoints }} rest={useStore(route).rest} />
}

export function openTry({ results = {}, path = '', endpoints = ['/mcp'] }: OpenOptions = {}) {
  const recorded = playServer({ resultOf: resultsOf(results) })
  location.hash = `#/try${path}`
  readRoute()
  return { ...recorded, ...render(<Page endpoints={endpoints} />) }
}

/** The played server has one tool, whose form is shown. */
export async function openTool(
  callResult: unknown,
  tool: object = {},
  results: Results = {},
): Promise<Recorded> {
  const opened = openTry({
    path: '/tools/make',
    results: {
      'server/discover': { capabilities: { tools: {} } },
      'tools/list': { tools: [{ name: 'make', ...tool }] },
      'tools/call': callResult,
      ...results,
    },
  })
  await screen.findByRole('heading', { level: 2, name: /^make/ })
  return opened
}

/** Opens a tool and calls it. */
export async function callTool(...options: Parameters<typeof openTool>): Promise<Recorded> {
  const recorded = await openTool(...options)
  press('Call the tool')
  return recorded
}

export const callsOf = ({ calls }: Pick<Recorded, 'calls'>, method: string) =>
  calls.filter((call) => call.method === method)

/** What the page says of the run. */
export const status = () => screen.getByRole('status')

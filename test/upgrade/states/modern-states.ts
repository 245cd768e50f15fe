/** Open state of modern clients: request states, cursors, handles, and listeners. */
import { readAnswer, requestOf } from '../../attacks/modern.ts'
import { accept } from '../../support/accept.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { callTool, type Endpoint, stateOf, stepsOf, touch } from '../calls.ts'
import { openState } from '../open-state.ts'

const CONFIRMED = { confirm: accept({ ok: true }) }

interface Page {
  readonly uris: string[]
  readonly cursor: string | undefined
}

async function listResources({ url, fetch }: Endpoint, cursor?: string): Promise<Page> {
  const params = cursor === undefined ? {} : { cursor }
  const { result } = await readAnswer(await fetch(requestOf(url, 'resources/list', params)))
  const { resources, nextCursor } = result as {
    readonly resources: readonly { readonly uri: string }[]
    readonly nextCursor?: string
  }
  return { uris: resources.map(({ uri }) => uri), cursor: nextCursor }
}

/** The items from a cursor to the end of the list. */
async function listFrom(endpoint: Endpoint, cursor?: string): Promise<string[]> {
  const page = await listResources(endpoint, cursor)
  return page.cursor === undefined
    ? page.uris
    : [...page.uris, ...(await listFrom(endpoint, page.cursor))]
}

export const MODERN_STATES = {
  'request state': openState<{ name: string; requestState: string }>({
    title: 'accepts a request state, and runs no step twice',
    async leave(server, name) {
      return { name, requestState: await stateOf(server, 'ask_count', { name }) }
    },
    async resume(server, { name, requestState }, expect) {
      const round = { requestState, inputResponses: CONFIRMED }
      const { result } = await callTool(server, 'ask_count', { name }, round)
      expect(result?.structuredContent).toEqual({ action: 'accept', ok: true })
      expect(await stepsOf(server, name)).toEqual([1, 1])
    },
  }),

  'request state with an answer': openState<string>({
    title: 'keeps the answers of earlier rounds in a request state',
    async leave(server) {
      const requestState = await stateOf(server, 'ask_two')
      const inputResponses = { name: accept({ name: 'Ada' }) }
      return stateOf(server, 'ask_two', {}, { requestState, inputResponses })
    },
    async resume(server, requestState, expect) {
      const inputResponses = { color: accept({ color: 'green' }) }
      const { result } = await callTool(server, 'ask_two', {}, { requestState, inputResponses })
      expect(result?.content).toEqual([{ type: 'text', text: 'Ada likes green' }])
    },
  }),

  'single-use request states': openState<{ used: string; unused: string }>({
    title: 'accepts a single-use request state once, before or after',
    async leave(server) {
      const [used, unused] = [await stateOf(server, 'one_time'), await stateOf(server, 'one_time')]
      const round = { requestState: used, inputResponses: CONFIRMED }
      const { error } = await callTool(server, 'one_time', {}, round)
      if (error !== undefined) throw new Error(`Not redeemed: ${error.message}`)
      return { used, unused }
    },
    async resume(server, { used, unused }, expect) {
      const redeem = async (requestState: string) => {
        const round = { requestState, inputResponses: CONFIRMED }
        return (await callTool(server, 'one_time', {}, round)).error?.code
      }
      expect(await redeem(used)).toBe(-32602)
      expect(await redeem(unused)).toBeUndefined()
      expect(await redeem(unused)).toBe(-32602)
    },
  }),

  'list cursor': openState<Page>({
    title: 'continues a list at its cursor without loss or repetition',
    leave: (server) => listResources(server),
    async resume(server, { uris, cursor }, expect) {
      expect(cursor).toBeTypeOf('string')
      const rest = await listFrom(server, cursor)
      const present = await listFrom(server)
      const end = present.indexOf(uris.at(-1) ?? '') + 1
      expect(end).toBeGreaterThan(0)
      expect(rest).toEqual(present.slice(end))
      expect(uris).toEqual(present.slice(0, end))
    },
  }),

  'handle of ctx.state': openState<string>({
    title: 'returns the value of a state handle',
    isOlder: true,
    async leave(server, label) {
      const { result } = await callTool(server, 'set_state', { value: { label } })
      return (result as { readonly structuredContent: { readonly handle: string } })
        .structuredContent.handle
    },
    async resume(server, handle, expect) {
      const { result } = await callTool(server, 'get_state', { handle })
      expect(result?.structuredContent).toEqual({ value: { label: expect.any(String) } })
    },
  }),

  listener: openState<string>({
    title: 'delivers changes to a new listener',
    leave: async (_, label) => `probe://item/${label}`,
    async resume(server, uri, expect) {
      const params = { notifications: { resourceSubscriptions: [uri] } }
      const request = requestOf(server.url, 'subscriptions/listen', params)
      const reader = new SseReader(await server.fetch(request))
      expect((await reader.message())?.method).toBe('notifications/subscriptions/acknowledged')
      await touch(server, uri)
      expect(await reader.message()).toMatchObject({
        method: 'notifications/resources/updated',
        params: { uri },
      })
      await reader.leave()
    },
  }),
}

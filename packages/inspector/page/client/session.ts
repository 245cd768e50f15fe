/** The session of a played client that begins with `initialize`. The page has one at a time. */
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { findRevision, MODERN } from '../../../../src/protocol/revisions.ts'
import { McpError } from '../../../client/src/mcp-error.ts'
import type { Channel } from '../../../testing/src/channel.ts'
import type { Fetch } from '../../../testing/src/post-channel.ts'
import { openSession } from '../../../testing/src/session-channel.ts'
import type { WireMessage } from '../../../testing/src/wire-message.ts'
import { type PlayedClient, playedClient } from './played-client.ts'
import type { Params, RequestOptions } from './request.ts'

interface Session {
  readonly url: string
  readonly client: PlayedClient
  readonly channel: Promise<Channel>
}

let session: Session | undefined

/** The requests without a response. What the server says or asks on any stream belongs to the last one. */
const waiting: RequestOptions[] = []

let lastToken = 0
let lastAsk = 0

/** Begins anew, and returns what `initialize` says. */
export async function initialize(send: Fetch, url: string): Promise<Params> {
  const before = session
  session = undefined
  // It may have ended, or never begun.
  before?.channel.then((channel) => channel.close()).catch(() => undefined)
  const { info, ...introduction } = (await channelOf(send, url)).introduction
  return { protocolVersion: playedClient().revision, serverInfo: info, ...introduction }
}

export async function requestInSession(
  send: Fetch,
  url: string,
  [method, params]: readonly [string, Params],
  options: RequestOptions,
): Promise<Params> {
  waiting.push(options)
  try {
    const channel = await channelOf(send, url)
    lastToken += 1
    const _meta = options.onNotification && { progressToken: lastToken }
    return await channel.request(method, { ...params, ...(_meta && { _meta }) }, options)
  } catch (error) {
    // The server has ended the session: the next request opens another one.
    if (error instanceof McpError && error.status === 404) session = undefined
    throw error
  } finally {
    waiting.splice(waiting.indexOf(options), 1)
  }
}

/** Listens on the stream of the session. Returns what ends it. */
export async function listenInSession(
  send: Fetch,
  url: string,
  onMessage: (message: WireMessage) => void,
): Promise<() => void> {
  return (await channelOf(send, url)).listen({}, onMessage)
}

function channelOf(send: Fetch, url: string): Promise<Channel> {
  const client = playedClient()
  if (session?.url !== url || session.client !== client) {
    session = { url, client, channel: open(send, url, client) }
    session.channel.catch(() => {
      session = undefined
    })
  }
  return session.channel
}

function open(send: Fetch, url: string, client: PlayedClient): Promise<Channel> {
  // Questions that are open at once are put one after the other.
  let asking: Promise<unknown> = Promise.resolve()
  return openSession({
    ...client,
    send,
    url,
    revision: findRevision(client.revision) ?? MODERN,
    dropsSessionId: !client.echoesSessionId,
    logLevel: undefined,
    onNotification: ({ method = '', params = {} }) =>
      waiting.at(-1)?.onNotification?.({ method, params }),
    async answer(_, { method, params }) {
      const onAsks = waiting.findLast((request) => request.onAsks !== undefined)?.onAsks
      if (onAsks === undefined) throw new McpError('No request waits', { reason: 'unanswered-ask' })
      lastAsk += 1
      const key = String(lastAsk)
      const answered = asking.then(() => onAsks([{ key, method, params }]))
      asking = answered.catch(() => undefined)
      return (await answered)[key] as JsonObject
    },
  })
}

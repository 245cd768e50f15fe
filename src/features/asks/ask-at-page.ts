/**
 * Asks the person to open a page of this server, and goes on when what they do there is done. A task and a call of a session
 * are suspended until then; any other call waits for a while and asks again.
 */
import type { Call } from '../../dispatch/call.ts'
import type { HandlerRun } from '../../dispatch/handler-run.ts'
import { untrustedText } from '../../pages/untrusted-text.ts'
import { delay } from '../../platform/deadline.ts'
import { ToolError } from '../../server/tool-error.ts'
import { openUrl } from './journal/elicitation.ts'
import { checkedWait } from './journal/event.ts'
import { roundOf } from './run-round.ts'

/** How long a call that cannot be suspended waits before it asks again. */
const WAIT_MS = 25_000
const POLL_MS = 500

/** How often such a call asks. */
const MAX_ROUNDS = 5

export interface PageAsk {
  /** That of the ask. */
  readonly key: string
  /** The wait of a call that is suspended. */
  readonly waitKey: string
  readonly message: string
  /** What the message says too, when it is asked again. */
  readonly again: string
  readonly url: string
  readonly elicitationId?: string
  readonly timeoutMs: number
  readonly isDone: () => Promise<boolean>
  /** Called when the call is cancelled and will not be repeated. */
  readonly onCancelled?: () => Promise<unknown>
}

/** The secret of the webhook that wakes the call; undefined for one that is not suspended. */
export async function wakingSecret(run: HandlerRun, waitKey: string): Promise<string | undefined> {
  if (!isSuspended(run.call)) return undefined
  const webhook = await roundOf(run).webhook(waitKey)
  return webhook.slice(webhook.lastIndexOf('/') + 1)
}

const isSuspended = ({ run }: Call) => run.canWait && run.webhookUrl !== undefined

/** Returns what the person did last at the client. Whether it is done is for the caller to find out. */
export async function askAtPage(
  run: HandlerRun,
  page: PageAsk,
): Promise<'accept' | 'decline' | 'cancel'> {
  const { key, waitKey, message, again, url, elicitationId, timeoutMs } = page
  const asks = roundOf(run)
  const first = await asks.ask(key, openUrl(message, url, elicitationId))
  if (first.action !== 'accept') return first.action
  if (isSuspended(run.call)) {
    const { wait, read } = checkedWait({ timeoutMs }, undefined)
    await asks.event(waitKey, wait, read).catch(ignoreTimeout)
    return 'accept'
  }
  for (let round = 2; ; round++) {
    const nextKey = `${key}-${round}`
    // A round that was answered has waited already.
    if (!asks.isAnswered(nextKey) && (await isDoneSoon(run, page))) return 'accept'
    if (round > MAX_ROUNDS) return 'accept'
    const question = openUrl(`${message}\n\n${again}`, url, elicitationId)
    const { action } = await asks.ask(nextKey, question)
    if (action !== 'accept') return action
  }
}

async function isDoneSoon(run: HandlerRun, { isDone, onCancelled }: PageAsk): Promise<boolean> {
  const { cancellation } = run.call.run
  const { signal } = cancellation
  const end = Date.now() + WAIT_MS
  for (;;) {
    const found = await isDone()
    if (signal.aborted && !cancellation.mayRepeat) await onCancelled?.()
    if (found || signal.aborted || run.isClosed || Date.now() + POLL_MS > end) return found
    await delay(POLL_MS)
  }
}

function ignoreTimeout(error: unknown): void {
  if (!(error instanceof ToolError)) throw error
}

/** Who asks, and what for, in bounded text of unknown origin. */
export interface PagePurpose {
  /** The title of the tool, or its name. Undefined for a handler of any other kind. */
  readonly tool: string | undefined
  /** What the client calls itself. */
  readonly app: string | undefined
  /** The question of the handler, or the description of the argument. */
  readonly reason: string | undefined
}

/** In code points. The texts may be in a URL, which a model may have to repeat. */
const MAX_NAME = 60
const MAX_REASON = 200

export function purposeOf(
  { call, place }: Pick<HandlerRun, 'call' | 'place'>,
  reason: string | undefined,
): PagePurpose {
  const { client, request } = call
  const name = request.method === 'tools/call' ? request.params?.name : undefined
  const tool = typeof name === 'string' ? place.definition?.tools.get(name)?.info : undefined
  const title = tool && (tool.title ?? tool.annotations?.title ?? tool.name)
  const app = client.info?.title ?? client.info?.name
  const cut = (text: string | undefined, most: number) => text && untrustedText(text, most)
  return { app: cut(app, MAX_NAME), tool: cut(title, MAX_NAME), reason: cut(reason, MAX_REASON) }
}

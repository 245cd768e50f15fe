/** Reads a list again when the server says that it has changed. */
import { delay } from '../../../../src/platform/deadline.ts'
import { listen, type Params, SignInRequired } from '../client/endpoint.ts'
import { playedClient } from '../client/played-client.ts'
import { type Catalog, LISTS, type ListName } from './catalog.ts'

/** The lists of each notification. */
const CHANGED: Readonly<Record<string, readonly ListName[]>> = {
  'notifications/tools/list_changed': ['tools'],
  'notifications/resources/list_changed': ['resources', 'templates'],
  'notifications/prompts/list_changed': ['prompts'],
}

/** How long the page waits before it listens again: after the end of a stream, and after an error. */
const AGAIN_MS = 1_000
const RETRY_MS = 10_000

/**
 * Listens until the signal is aborted. A server without `listChanged` is not asked, and some clients ask none.
 *
 * @param onChange is called with the lists to read again
 */
export async function followChanges(
  { endpoint, introduction }: Catalog,
  signal: AbortSignal,
  onChange: (lists: readonly ListName[]) => void,
): Promise<void> {
  const notifications = filterOf((introduction.capabilities ?? {}) as Params)
  if (notifications === undefined || !playedClient().opensStream) return
  for (let isAgain = false; !signal.aborted; isAgain = true) {
    try {
      // What has changed while the page did not listen is in no notification.
      if (isAgain) onChange(LISTS)
      await listen(endpoint, notifications, signal, ({ method }) => onChange(CHANGED[method] ?? []))
      await delay(AGAIN_MS)
    } catch (error) {
      if (error instanceof SignInRequired) return
      await delay(RETRY_MS)
    }
  }
}

function filterOf(capabilities: Params): Params | undefined {
  const changes = (name: string) => (capabilities[name] as Params | undefined)?.listChanged === true
  const filter = {
    ...(changes('tools') && { toolsListChanged: true }),
    ...(changes('resources') && { resourcesListChanged: true }),
    ...(changes('prompts') && { promptsListChanged: true }),
  }
  return Object.keys(filter).length === 0 ? undefined : filter
}

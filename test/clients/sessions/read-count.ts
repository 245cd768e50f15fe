/** Reads a durable counter of the fixture server. */
import type { SessionClient } from './connect-session.ts'

export async function readCount({ call }: Pick<SessionClient, 'call'>, name: string) {
  const { structuredContent } = await call('read_count', { name })
  return structuredContent.value as number
}

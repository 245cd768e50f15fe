/** Kills a session object, and runs its alarms. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import type { SessionClient } from '../../support/session-client.ts'
import { storedBy } from './stored.ts'

/** Ends the object at once, as a kill of its process does. */
export async function kill(session: SessionClient): Promise<void> {
  const stub = await session.stub()
  await runInDurableObject(stub, (_, ctx) => ctx.abort('killed')).catch(() => undefined)
}

/** More alarms than an object ever needs at one time. */
const MAX_ALARMS = 20

/** Runs the alarm while it is due by the clock of the test, and returns how often. */
export async function runDueAlarms(session: SessionClient): Promise<number> {
  for (let runs = 0; runs <= MAX_ALARMS; runs++) {
    const { alarm } = await storedBy(session)
    if (alarm === null || alarm > Date.now()) return runs
    await runDurableObjectAlarm(await session.stub())
  }
  throw new Error('The alarm is due in a loop')
}

/** How many stream sockets are open. */
export async function socketsOf(session: SessionClient): Promise<number> {
  return runInDurableObject(
    await session.stub(),
    (_, ctx) =>
      ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length,
  )
}

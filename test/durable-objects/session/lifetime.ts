/** The lives of a session's object, from outside: killed, and woken by its alarm. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import type { SessionClient } from '../../support/session-client.ts'
import { storedBy } from './stored.ts'

/** Ends the object in the middle of things, as it ends when its process is killed. */
export async function kill(session: SessionClient): Promise<void> {
  const stub = await session.stub()
  await runInDurableObject(stub, (_, ctx) => ctx.abort('killed')).catch(() => undefined)
}

/** More alarms at one moment than there is anything to do. */
const MAX_ALARMS = 20

/** Runs the alarm as long as it is due by the clock of the test, and says how often. */
export async function runDueAlarms(session: SessionClient): Promise<number> {
  for (let runs = 0; runs <= MAX_ALARMS; runs++) {
    const { alarm } = await storedBy(session)
    if (alarm === null || alarm > Date.now()) return runs
    await runDurableObjectAlarm(await session.stub())
  }
  throw new Error('The alarm is due again and again')
}

/** How many lines to its readers the object holds. */
export async function linesOf(session: SessionClient): Promise<number> {
  return runInDurableObject(
    await session.stub(),
    (_, ctx) =>
      ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length,
  )
}

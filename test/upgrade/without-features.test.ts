/**
 * Features that are taken away from a deployed app and added again: the golden states of all releases, opened by
 * apps that lack one and then all of them, by one that has them again, and by the release after each, if it reads the
 * rows of that app.
 */
import { describe, expect, it } from 'vitest'
import { delay } from '../faults/sessions/delay.ts'
import { callTool } from './calls.ts'
import type { DeploymentName } from './deployments.ts'
import type { OpenState, OpenStates } from './open-state.ts'
import { ASKING_STATES, type HeldCall } from './states/asking-states.ts'
import { reopenSession } from './states/held-session.ts'
import { describeTurn, releasesOf, restoredStorage, startOn } from './turns.ts'

/** Alarms that are due are deferred in this time. */
const ABSENT_MS = 1500

const EVERY = 'keyring asks sessions changes tasks state files'

const WITH_OBJECTS = ['every feature with an object', EVERY] as const
const WITH_AUTH = ['embedded() and every feature', `auth ${EVERY}`] as const

interface Losses {
  readonly name: DeploymentName
  /** What an app lacks in one version after the other, before it has the features again. */
  readonly lost: readonly (readonly [title: string, without: string])[]
  /** What such an app ends, in place of the state that is continued. */
  readonly ended?: OpenStates
}

/** The fixture has no task tools without `tasks()`. */
const CALL_WITHOUT_TOOL: OpenState = {
  ...ASKING_STATES['interrupted call'],
  title: 'has ended a call whose tool was absent with an error that names the tool',
  async resume(server, held, expect) {
    const { session, lastEventId } = held as HeldCall
    const messages = await reopenSession(server, session).rest(lastEventId)
    expect(messages).toEqual([
      expect.objectContaining({
        error: {
          code: -32602,
          message: 'ten_steps is not offered to you any more, so its call cannot go on',
        },
      }),
    ])
  },
}

const LOSSES: readonly Losses[] = [
  {
    name: 'fixture',
    lost: [['tasks()', 'tasks'], ['sessions()', 'sessions'], WITH_OBJECTS],
    ended: { 'interrupted call': CALL_WITHOUT_TOOL },
  },
  { name: 'secret', lost: [WITH_OBJECTS] },
  { name: 'protected', lost: [WITH_AUTH] },
  { name: 'upstream', lost: [WITH_AUTH] },
]

describe.each(
  LOSSES.flatMap((loss) => releasesOf([loss.name]).map((release) => ({ ...loss, ...release }))),
)(
  'the state of the $name server of release $version, in an app that lost features,',
  ({ name, lost, path, ended = {} }) => {
    const storage = restoredStorage(path, name)

    async function servesCalls(without: string) {
      const vars = { WITHOUT: without }
      const server = await startOn(storage, { worker: await storage.present() }, { vars })
      const { result } = await callTool(server, 'echo', { text: 'served' })
      await delay(ABSENT_MS)
      storage.at = await server.kill()
      expect(result?.content).toEqual([{ type: 'text', text: 'served' }])
      expect(server.log()).not.toContain('internal-error')
    }

    it.each(lost)('is kept while calls that do not need %s are served', (_, without) =>
      servesCalls(without),
    )

    describe('and that has them again,', () =>
      describeTurn(storage, {
        ended,
        start: async ({ present }) => startOn(storage, { worker: await present() }),
      }))

    it('is kept when all of them are lost once more', () => servesCalls(lost.at(-1)?.[1] ?? ''))

    describe('and that was rolled back to the release,', () =>
      describeTurn(storage, {
        isLast: true,
        start: async ({ released }) => startOn(storage, { worker: await released() }),
      }))
  },
)

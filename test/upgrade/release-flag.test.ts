/** `--release DIR` of the serve scripts: the Worker of a recorded release on the storage of any version. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { readRelease } from '../../scripts/support/release.ts'
import { send } from '../faults/sessions/send.ts'
import { startScript } from '../support/node/serve-script.ts'
import { callTool } from './calls.ts'
import { latestRelease } from './golden-state.ts'
import { ASKING_STATES } from './states/asking-states.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const { leave, resume } = ASKING_STATES['pending question, 2025-11-25']

describe('the flag --release of serve:fixture', () => {
  it('shares its state with other versions after an upgrade and after a rollback', async () => {
    const state = temporaryDirectory(onTestFinished)
    const release = latestRelease()
    const turns = [['--release', release], [], ['--release', release]]
    let held: unknown
    for (const [index, flags] of turns.entries()) {
      const args = ['--port', '0', '--state', state, ...flags]
      const { announced, ended } = startScript('serve-fixture.ts', ...args)
      const { url, pid, limits, release: version } = await announced
      expect(version).toBe(flags.length === 0 ? undefined : readRelease(release).version)
      expect(limits).toMatchObject({ handlerTimeoutMs: 300_000 })
      const { origin } = new URL(url)
      const fetch = (request: Request) => send(request)
      const endpoint = { url, origin, fetch, now: Date.now }
      if (held !== undefined) await resume(endpoint, held, expect)
      held = await leave(endpoint, `turn-${index}`)
      const { result } = await callTool(endpoint, 'count', { name: 'turns' })
      expect(result?.structuredContent).toEqual({ value: index + 1 })
      process.kill(pid, 'SIGKILL')
      await ended
    }
  })
})

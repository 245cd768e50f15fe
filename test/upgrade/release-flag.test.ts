/** `--release DIR` of the serve scripts: the Worker of a recorded release on the storage of any version. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readRelease, readReleasedWorker, writeRelease } from '../../scripts/support/release.ts'
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

describe('a recorded Worker', () => {
  it('is refused when its file is damaged', async () => {
    const directory = temporaryDirectory(onTestFinished)
    const file = join(directory, 'release.json.br')
    writeFileSync(file, 'damaged')
    await expect(readReleasedWorker(directory, 'fixture')).rejects.toThrow(
      `${file} is not compressed JSON`,
    )
  })
})

describe.each(['serve-fixture.ts', 'serve-protected.ts'])('the flag --release of %s', (script) => {
  const start = (release: string) =>
    startScript(script, '--port', '0', `--release=${release}`).ended

  it('fails when the directory does not exist', async () => {
    const { code, stderr } = await start('/nowhere/0.0.0')
    expect(code).toBe(1)
    expect(stderr).toBe(
      '/nowhere/0.0.0 holds no recorded release: /nowhere/0.0.0/release.json.br does not exist\n',
    )
  })

  it('fails when the directory lacks the Worker', async () => {
    const directory = temporaryDirectory(onTestFinished)
    writeRelease(directory, { ...readRelease(latestRelease()), workers: {} })
    const { code, stderr } = await start(directory)
    expect(code).toBe(1)
    expect(stderr).toMatch(/lacks its Worker (?:fixture|protected): /)
  })

  it('exits with 2 without a directory', async () => {
    const { code, stderr } = await start('')
    expect(code).toBe(2)
    expect(stderr).toContain('--release takes a directory')
  })
})

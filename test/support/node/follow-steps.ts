/** Follows the steps of a skill in a folder, as an agent with a shell does. */
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort, isFree } from '../../../scripts/support/free-port.ts'
import { serveUntilReady } from './serve-until-ready.ts'
import type { Step } from './skill-steps.ts'

/** The port that the skills name. */
const PORT = 8787

/** The port that the steps run with: that of the skills, or another one where it is in use. */
export const choosePort = async () => ((await isFree(PORT)) ? PORT : findFreePort())

export interface Outcome {
  readonly code: number
  readonly output: string
}

export interface Follower {
  /** Writes a file, or runs the lines of a block in the folder that the last one has left. */
  readonly follow: (step: Step) => Promise<Outcome>
  /** The URL of the server that the last command has started. */
  readonly url: string
  /** The folder in which the next command runs. */
  readonly directory: () => string
  /** Ends the server. */
  readonly stop: () => Promise<void>
}

/** Commands that serve until they are ended. */
const SERVES = /^(?:npm run dev|npx wrangler dev)\b/

export function createFollower(folder: string, given: NodeJS.ProcessEnv, port: number): Follower {
  // A test of the same process may have silenced wrangler, whose output people read.
  const { WRANGLER_LOG: _, ...env } = given
  const withPort = (text: string) => text.replaceAll(String(PORT), String(port))
  const url = `http://localhost:${port}/mcp`
  let directory = folder
  let stop = async () => {}

  async function runBlock(text: string): Promise<Outcome> {
    const marker = 'directory of the next command: '
    const script = `${withPort(text)}\nprintf '\\n%s\\n' "${marker}$PWD"`
    const { code, output } = await run(script, directory, env)
    const [, left = directory] = new RegExp(`^${marker}(.*)$`, 'm').exec(output) ?? []
    directory = left
    return { code, output }
  }

  return {
    url,
    directory: () => directory,
    stop: () => stop(),
    follow: async (step) => {
      if (step.kind === 'file') {
        const file = join(directory, step.path)
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, withPort(step.text))
        return { code: 0, output: '' }
      }
      if (!SERVES.test(step.text)) return runBlock(step.text)
      await stop()
      while (!(await isFree(port))) await sleep(100)
      configure(join(directory, 'wrangler.jsonc'), port, await findFreePort())
      const readyAt = { url, method: 'OPTIONS' }
      const serving = await serveUntilReady(withPort(step.text), { cwd: directory, env, readyAt })
      stop = serving.stop
      return { code: 0, output: '' }
    },
  }
}

/** Other servers of this computer start at the same time, and two of them may choose the same inspector port. */
function configure(file: string, port: number, inspectorPort: number): void {
  const text = readFileSync(file, 'utf8')
  const dev = `"dev": { "port": ${port}, "inspector_port": ${inspectorPort} }`
  const changed = text.replace(/"dev": \{[^}]*\}/, dev)
  writeFileSync(file, changed.includes(dev) ? changed : text.replace('{', `{\n  ${dev},`))
}

function run(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 }
    execFile('sh', ['-e', '-c', script], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1)
      resolve({ code, output: `${stdout}\n${stderr}` })
    }).stdin?.end()
  })
}

/** Runs the scripts behind `npm run serve:*` as processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const SCRIPTS = join(import.meta.dirname, '../../../scripts')

export function startScript(script: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [join(SCRIPTS, script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  /** The lines of its standard output as JSON. The first one says that the server is ready. */
  const lines: unknown[] = []
  const output = createInterface(child.stdout).on('line', (line) => lines.push(JSON.parse(line)))
  const announced = once(output, 'line').then(([line]) => JSON.parse(line))
  const ended = once(child, 'close').then(([code]) => ({ code, stderr }))
  return { child, ended, announced, lines }
}

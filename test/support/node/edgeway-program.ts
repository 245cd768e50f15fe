/** The program of `edgeway-command.ts`: runs the command line for each message, and sends what it has printed. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Ended, Run } from './edgeway-command.ts'

const ENTRY = join(import.meta.dirname, '../../../packages/cli/src/edgeway.ts')

let runs = 0

process.on('disconnect', () => process.exit())
process.on('message', async (run: Run) => process.send?.(await perform(run)))

async function perform({ args, cwd, env }: Run): Promise<Ended> {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.argv = [process.execPath, ENTRY, ...args]
  process.exitCode = undefined
  const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)]
  try {
    runs += 1
    // Each address is a module of its own. What it imports stays loaded.
    await import(`${pathToFileURL(ENTRY).href}?run=${runs}`)
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`${(error as Error).stack}\n`)
  }
  return { code: Number(process.exitCode ?? 0), stdout: stdout.end(), stderr: stderr.end() }
}

/** Keeps what is written, until `end` returns it. */
function collect(stream: NodeJS.WriteStream): { readonly end: () => string } {
  const write = stream.write.bind(stream)
  const parts: Buffer[] = []
  stream.write = (part: string | Uint8Array) => {
    parts.push(typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))
    return true
  }
  return {
    end: () => {
      stream.write = write
      return Buffer.concat(parts).toString()
    },
  }
}

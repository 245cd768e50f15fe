/** A folder for the time of a command. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Calls `use` with a new folder, which is removed afterwards, and also when a signal ends the process. */
export async function inTemporaryFolder<Value>(
  prefix: string,
  use: (folder: string) => Promise<Value>,
): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  try {
    return await use(folder)
  } finally {
    process.off('exit', remove)
    remove()
  }
}

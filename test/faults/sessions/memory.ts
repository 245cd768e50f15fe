/** Reads the resident memory of a process. */
import { readFile } from 'node:fs/promises'

export async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return Number(kilobytes) / 1024
}

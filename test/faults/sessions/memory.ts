/** Reads the resident memory of a process. */
import { readFile } from 'node:fs/promises'

export function residentMegabytes(pid: number): Promise<number> {
  return readMegabytes(pid, 'VmRSS')
}

/** The highest resident memory since the start of the process, or since `clear_refs` has reset it. */
export function peakMegabytes(pid: number): Promise<number> {
  return readMegabytes(pid, 'VmHWM')
}

/**
 * The least growth of a process by one of at most three rounds of the same work, which end with the first that grows it by
 * less than `enough` megabytes. A heap grows in steps, whenever its garbage is collected late; what is kept grows it in each
 * round.
 */
export async function leastGrowth(
  pid: number,
  enough: number,
  round: () => Promise<void>,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < 3 && least >= enough; count++) {
    const before = await residentMegabytes(pid)
    await round()
    least = Math.min(least, (await residentMegabytes(pid)) - before)
  }
  return least
}

async function readMegabytes(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  return Number(kilobytes) / 1024
}

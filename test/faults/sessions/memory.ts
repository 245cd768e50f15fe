/** Reads the resident memory of a process. */
import { readFile } from 'node:fs/promises'

export function residentMegabytes(pid: number): Promise<number> {
  return readMegabytes(pid, 'VmRSS')
}

/** The highest resident memory since the start of the process, or since `clear_refs` has reset it. */
export function peakMegabytes(pid: number): Promise<number> {
  return readMegabytes(pid, 'VmHWM')
}

async function readMegabytes(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  return Number(kilobytes) / 1024
}

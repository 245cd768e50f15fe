/** `--json`: the stable form of a report. */
import type { DoctorReport } from '../doctor.ts'

export function jsonReport({ url, clients }: DoctorReport): string {
  const report = {
    url,
    clients: clients.map(({ name, connects, findings }) => ({ name, connects, findings })),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}

/** Examines a server with short times, and sums up the report. */
import { type DoctorOptions, type DoctorReport, examine } from '../src/doctor/doctor.ts'

export function examineQuickly(
  url: string,
  options: Partial<DoctorOptions> = {},
): Promise<DoctorReport> {
  return examine(url, {
    timeoutMs: 30_000,
    streamWaitMs: 200,
    loginTimeoutMs: 20_000,
    active: false,
    login: false,
    clientId: undefined,
    ...options,
  })
}

/** The codes of all findings, each once. */
export function codesOf({ clients }: Pick<DoctorReport, 'clients'>): readonly string[] {
  return [...new Set(clients.flatMap(({ findings }) => findings.map(({ code }) => code)))]
}

export function disconnected({ clients }: DoctorReport): readonly string[] {
  return clients.filter(({ connects }) => !connects).map(({ name }) => name)
}

/** The clients that have a finding. */
export function concerned({ clients }: DoctorReport, code: string): readonly string[] {
  return clients
    .filter(({ findings }) => findings.some((finding) => finding.code === code))
    .map(({ name }) => name)
}

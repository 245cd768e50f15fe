/** Warns of a Worker whose `fetch` can reach hosts of its own zone. */
import type { TelemetryEvent } from '../ports/telemetry.ts'

/** The compatibility flag that keeps `fetch` out of the deployer's own zone. */
const PUBLIC_FETCH_FLAG = 'global_fetch_strictly_public'

export const PRIVATE_FETCH_WARNING: TelemetryEvent = {
  type: 'definition-warning',
  subject: `The compatibility flag ${PUBLIC_FETCH_FLAG}`,
  message: `it is missing: URLs that clients name can reach hosts of your own zone. Add it to compatibility_flags`,
}

/** True where the platform does not name its flags. */
export function fetchesPublicAddresses(): boolean {
  const { Cloudflare: platform } = globalThis as {
    readonly Cloudflare?: { readonly compatibilityFlags?: Readonly<Record<string, boolean>> }
  }
  return platform?.compatibilityFlags?.[PUBLIC_FETCH_FLAG] !== false
}

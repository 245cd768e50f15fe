/**
 * Which of the clients that the timeline recognises a checked fault affects: those that do not break all clients.
 * `npm run faults` generates this file from the catalogue (`packages/faults/src`), so that a Worker needs no text of the
 * catalogue for a verdict.
 */
// biome-ignore-all format: one line for each fault
import type { Clients } from '../../../../faults/src/fault.ts'
import type { CheckedCode } from './checks.ts'

/** The fault breaks the first clients, or makes a part of the server unusable for them, and degrades the second. */
export type AffectedClients = readonly [errors: Clients, warnings?: Clients]

export const AFFECTED_CLIENTS: Readonly<Partial<Record<CheckedCode, AffectedClients>>> = {
  'endpoint-redirects': [[], 'all'],
  'origin-refused': [[], ['Inspector']],
  'accept-refused': [['Claude (web)'], ['Gemini CLI']],
  'discover-fails': [['Claude (web)', 'Claude Code']],
  'preflight-refused': [[], ['Inspector']],
  'cors-headers-hidden': [[], ['Inspector']],
  'error-not-json': [['Codex']],
  'discover-result-invalid': [['Claude (web)', 'Claude Code']],
  'notification-not-202': [['Codex']],
  'session-required': [[], ['Claude (web)']],
  'version-header-required': [['Gemini CLI']],
  'stream-refused': [['Cursor'], ['Claude Code', 'VS Code', 'Codex', 'Gemini CLI', 'Inspector']],
  'second-stream-refused': [[], ['Claude Code', 'VS Code', 'Cursor', 'Codex', 'Gemini CLI', 'Inspector']],
  'well-known-not-json': [[], ['Claude (web)', 'Codex']],
  'resource-metadata-skipped': [['ChatGPT'], 'all'],
  'metadata-without-cors': [[], ['Inspector']],
  'events-subscribe-failed': [['ChatGPT']],
  'not-https': [['Claude (web)', 'ChatGPT'], 'all'],
  'port-not-443': [['Claude (web)']],
  'challenge-missing': [['ChatGPT'], 'all'],
  'challenge-without-metadata': [[], 'all'],
  'resource-not-exact': [['Claude (web)', 'ChatGPT'], 'all'],
  'resource-trailing-slash': [['Claude Code', 'Cursor', 'Inspector'], 'all'],
  'url-trailing-slash': [[], 'all'],
  'issuer-trailing-slash': [[], 'all'],
  'authorization-endpoint-elsewhere': [['Codex']],
  'no-dynamic-registration': [['Cursor', 'Gemini CLI'], ['Inspector']],
  'cimd-without-none': [[], ['Claude (web)', 'Claude Code', 'VS Code', 'Codex', 'ChatGPT']],
  'iss-missing': [['Claude Code', 'Codex', 'ChatGPT']],
  'token-without-expiry': [[], 'all'],
  'token-short-lived': [[], ['Claude (web)', 'Claude Code']],
  'token-without-refresh': [[], 'all'],
  'registration-status': [[], 'all'],
  'registration-not-concurrent': [['Claude (web)']],
  'consent-page-csp': [[], 'all'],
}

/**
 * Which clients a checked fault affects: those that do not break all clients. `npm run faults` generates this
 * file from the catalogue (`src/faults`), so that a Worker needs no text of the catalogue for a verdict.
 */
// biome-ignore-all format: one line for each fault
import type { Clients } from '../../../faults/fault.ts'
import type { CheckedCode } from './checks.ts'

export interface AffectedClients {
  /** The fault breaks these clients, or makes a part of the server unusable for them. */
  readonly errors?: Clients
  /** The fault degrades these clients. */
  readonly warnings?: Clients
}

export const BREAKS_ALL: AffectedClients = { errors: 'all' }

export const AFFECTED_CLIENTS: Readonly<Partial<Record<CheckedCode, AffectedClients>>> = {
  'endpoint-redirects': { warnings: 'all' },
  'origin-refused': { warnings: ['Inspector'] },
  'accept-refused': { errors: ['Claude (web)', 'Claude Desktop'], warnings: ['Gemini CLI'] },
  'discover-fails': { errors: ['Claude (web)', 'Claude Desktop', 'Claude Code'] },
  'preflight-refused': { warnings: ['Inspector'] },
  'cors-headers-hidden': { warnings: ['Inspector'] },
  'error-not-json': { errors: ['Codex'] },
  'discover-result-invalid': { errors: ['Claude (web)', 'Claude Desktop', 'Claude Code'] },
  'notification-not-202': { errors: ['Codex'] },
  'session-required': { warnings: ['Claude (web)', 'Claude Desktop'] },
  'version-header-required': { errors: ['Gemini CLI'] },
  'stream-refused': { errors: ['Cursor'], warnings: ['Claude Code', 'VS Code', 'Codex', 'Gemini CLI', 'Inspector'] },
  'second-stream-refused': { warnings: ['Claude Code', 'VS Code', 'Cursor', 'Codex', 'Gemini CLI', 'Inspector'] },
  'well-known-not-json': { warnings: ['Claude (web)', 'Claude Desktop', 'Codex'] },
  'resource-metadata-skipped': { errors: ['ChatGPT'], warnings: 'all' },
  'metadata-without-cors': { warnings: ['Inspector'] },
  'events-subscribe-failed': { errors: ['ChatGPT'] },
  'not-https': { errors: ['Claude (web)', 'Claude Desktop', 'ChatGPT'], warnings: 'all' },
  'port-not-443': { errors: ['Claude (web)', 'Claude Desktop'] },
  'challenge-missing': { errors: ['ChatGPT'], warnings: 'all' },
  'challenge-without-metadata': { warnings: 'all' },
  'resource-not-exact': { errors: ['Claude (web)', 'Claude Desktop', 'ChatGPT'], warnings: 'all' },
  'resource-trailing-slash': { warnings: 'all' },
  'issuer-trailing-slash': { warnings: 'all' },
  'authorization-endpoint-elsewhere': { errors: ['Codex'] },
  'no-dynamic-registration': { errors: ['Cursor', 'Gemini CLI'], warnings: ['Inspector'] },
  'cimd-without-none': { warnings: ['Claude (web)', 'Claude Desktop', 'Claude Code', 'VS Code', 'Codex', 'ChatGPT'] },
  'iss-missing': { errors: ['Claude Code', 'Codex', 'ChatGPT'] },
  'token-without-expiry': { warnings: 'all' },
  'token-short-lived': { warnings: ['Claude (web)', 'Claude Desktop', 'Claude Code'] },
  'token-without-refresh': { warnings: 'all' },
  'registration-status': { warnings: 'all' },
  'registration-not-concurrent': { errors: ['Claude (web)', 'Claude Desktop'] },
  'consent-page-csp': { warnings: 'all' },
}

/** The binding of the audit example. */
declare namespace Cloudflare {
  interface Env {
    readonly AUDIT_LOG: DurableObjectNamespace<import('../../examples/audit/audit.ts').AuditLog>
  }
}

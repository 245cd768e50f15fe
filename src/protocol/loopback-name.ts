/**
 * Whether the host of a URL is this machine by its name alone: an address of 127.0.0.0/8, `::1`, or `localhost`. This is
 * the one definition for hosts on which plain http is accepted. A name below `localhost` is not one of them, because some
 * resolvers ask DNS for it (RFC 6761 §6.3). Redirect URIs have a closed list (`auth/clients/redirect-uri.ts`).
 *
 * @param hostname as `URL` writes it: every spelling of an IPv4 address is dotted
 */
export function isLoopbackName(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
  )
}

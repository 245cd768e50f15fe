/** Responses of the inspector that are not its page. */

/** Data of one moment, for one person. */
export const PRIVATE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

export function problem(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return json({ error: message }, status, headers)
}

export function json(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(body, { status, headers: { ...PRIVATE_HEADERS, ...headers } })
}

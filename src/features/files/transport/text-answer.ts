/** Answers about files for programs: one message as JSON. */
import { drain } from '../../../transport/body/drain.ts'

export type Answer = (
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>

/** Reads the rest of the request first: the platform otherwise resets the connection. */
export async function textAnswer(
  request: Request,
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Promise<Response> {
  await drain(request)
  const body = status < 300 ? { message } : { error: message }
  return Response.json(body, {
    status,
    headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers },
  })
}

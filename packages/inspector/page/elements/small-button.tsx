/** A small button, which submits no form. */
import type { ButtonHTMLAttributes } from 'preact'

export function SmallButton(props: ButtonHTMLAttributes<HTMLButtonElement>) {
  return <button type="button" class="small" {...props} />
}

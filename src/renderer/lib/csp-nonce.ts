/** The nonce that the server put into this load of the page; null where nobody filled the placeholder in. */
export function cspNonce(): string | null {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
  return nonce === '' || nonce.startsWith('__') ? null : nonce
}

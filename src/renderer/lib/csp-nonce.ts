/** The nonce that the server put into this load of the page; null if the placeholder wasn't filled in. */
export function cspNonce(): string | null {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
  return nonce === '' || nonce.startsWith('__') ? null : nonce
}

import { addressBlock, TrustedProxies, withoutPort } from '../../transport/node/address-block.ts'

/**
 * Makes the rule by which connections count for limits per address: an address without its port, or a
 * network of IPv6. Trusted proxies are exempt, because many people stand behind each.
 */
export function makeAddressRule(
  trustedProxies: readonly string[],
): (remote: string) => string | undefined {
  const proxies = new TrustedProxies(trustedProxies)
  return (remote) => {
    const address = withoutPort(remote)
    return proxies.has(address) ? undefined : addressBlock(address)
  }
}

import './explorer.css'
import { render } from 'preact'
import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso'
import { Layout } from './layout.tsx'
import { CampaignPage } from './pages/campaign-page.tsx'
import { CampaignsPage } from './pages/campaigns-page.tsx'
import { ChainsPage } from './pages/chains-page.tsx'
import { ContractsPage } from './pages/contracts-page.tsx'
import { TrendingPage } from './pages/trending-page.tsx'

/** Every page has a path of its own, so that links to it can be shared; the service answers all with this script. */
function Explorer() {
  return (
    <LocationProvider>
      <ErrorBoundary>
        <Layout>
          <Router>
            <Route path="/" component={TrendingPage} />
            <Route path="/explorer/campaigns" component={CampaignsPage} />
            <Route path="/explorer/campaigns/:id" component={CampaignPage} />
            <Route path="/explorer/contracts" component={ContractsPage} />
            <Route path="/explorer/chains" component={ChainsPage} />
          </Router>
        </Layout>
      </ErrorBoundary>
    </LocationProvider>
  )
}

render(<Explorer />, document.body)
